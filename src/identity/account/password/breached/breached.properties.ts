import { Duration } from '../../../../config/bind/duration.js';
import { full } from '../../../../config/bind/effect.js';
import { duration, integer, type ScalarType, text } from '../../../../config/bind/key-type.js';
import type { SelfChecking, Violation } from '../../../../config/bind/properties-class.js';
import { Key, Properties } from '../../../../config/bind/properties.decorator.js';
import { ConversionProblem } from '../../../../config/problem.js';

/** A URL without credentials and query, because digits of a hash are appended and URLs are shown. */
const rangeUrl: ScalarType<string> = {
  ...text(),
  name: 'URL',
  expects: 'a URL such as https://api.pwnedpasswords.com/range, without user, query and fragment',
  parse: (value) => {
    const trimmed = value.trim().replace(/\/+$/, '');
    const isPlain = /^https?:\/\/[^\s/?#@\\]+(?:\/[^\s?#\\]*)?$/i.test(trimmed) && URL.canParse(trimmed);
    return isPlain ? trimmed : new ConversionProblem('not such a URL');
  },
};

@Properties('app.security.password.breached')
export class BreachedPasswordProperties implements SelfChecking {
  @Key(rangeUrl, {
    does:
      'Range service that recognizes breached passwords when a user or administrator chooses one; it receives five digits ' +
      'of a hash, which identify no password. If it does not respond, the password is accepted. prod demands https.',
    effect: full,
    defaultText: 'no range service',
  })
  readonly url?: string;

  @Key(text(), {
    does:
      'In place of url: a local file of SHA-1 hashes in ascending order, as downloaders of Pwned Passwords write it ' +
      '(file:/srv/pwned-passwords.txt). Imports of users check their passwords against it, too.',
    effect: full,
    defaultText: 'no file',
  })
  readonly file?: string;

  @Key(integer({ min: 1 }), {
    does: 'Occurrences in breaches from which a password is rejected; a line of file without a count always rejects.',
    effect: full,
  })
  readonly minCount: number = 1;

  @Key(duration({ min: '100ms', max: '30s' }), {
    does: 'Longest wait for the range service, with its response, or for the file; after it, the password is accepted.',
    effect: full,
  })
  readonly timeout: Duration = Duration.ofSeconds(2);

  violations(): readonly Violation[] {
    if (this.url === undefined || this.file === undefined) return [];
    const action = 'Remove one of them.';
    return [{ property: 'file', against: ['url'], reason: 'url and file are both set, and only one is used', action }];
  }
}
