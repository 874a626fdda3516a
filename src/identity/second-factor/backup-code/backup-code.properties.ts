import { full } from '../../../config/bind/effect.js';
import { map, neverUnset, text, type ScalarType } from '../../../config/bind/key-type.js';
import type { Pepper } from './pepper.js';
import { sealKeyId } from '../../../platform/sealing/seal-key.js';
import { Properties, Key } from '../../../config/bind/properties.decorator.js';
import type { SelfChecking, Violation } from '../../../config/bind/properties-class.js';

const PEPPER_TEXT = text({ form: /^.{32,}$/s, called: 'a text of at least 32 characters' });
/** An empty text, such as of an unset variable, removes a pepper that a lower source defines. */
const pepper: ScalarType<string> = {
  ...neverUnset(PEPPER_TEXT),
  parse: (value) => (value === '' ? '' : PEPPER_TEXT.parse(value)),
};
/** Length of the column for ids. */
const MAX_ID_LENGTH = 64;

@Properties('app.security.mfa.backup-code')
export class BackupCodeProperties implements SelfChecking {
  @Key(pepper, {
    does:
      'Secret key of the backup code hashes (HMAC-SHA-256), which prevents searching a copy of the database for ' +
      'codes. Codes issued before it was set stay valid until they are reissued; codes issued with it become ' +
      'invalid when it changes. To replace it, see peppers.',
    effect: full,
    defaultText: 'none: SHA-256',
    secret: true,
  })
  readonly pepper?: string;

  @Key(map(pepper, 'id'), {
    does:
      'Further peppers by id, so that a pepper can be replaced: codes keep the pepper they were issued with, and are ' +
      'rejected once it is removed. Never change the text of an id; an empty text removes the pepper.',
    effect: full,
    secret: true,
    defaultText: 'none',
  })
  readonly peppers: ReadonlyMap<string, string> = new Map();

  // An empty id must not select another pepper.
  @Key(neverUnset(text()), {
    does: 'Id of the pepper of new backup codes, among peppers; case, dashes and dots of an id are ignored.',
    effect: full,
    defaultText: 'the key pepper, or without it the only one of peppers',
  })
  readonly activePepperId?: string;

  /** All peppers in force. */
  get all(): readonly Pepper[] {
    const { pepper: secret = '' } = this;
    return [...(secret === '' ? [] : [{ id: null, secret }]), ...this.named];
  }

  /** The pepper of new codes. */
  get active(): Pepper | undefined {
    const { all, activePepperId } = this;
    if (activePepperId === undefined) return all[0];
    return all.find(({ id }) => id === sealKeyId(activePepperId));
  }

  violations(): readonly Violation[] {
    const reason = this.reason();
    if (reason !== undefined) return [{ property: 'activePepperId', against: ['peppers', 'pepper'], reason }];
    if (this.pepper !== '' || this.active) return [];
    // An unset variable must not remove the only pepper unnoticed.
    return [{ property: 'pepper', against: ['peppers'], reason: `not ${PEPPER_TEXT.expects}, and peppers has none` }];
  }

  private get named(): readonly Pepper[] {
    const configured = [...this.peppers].filter(([, secret]) => secret !== '');
    return configured.map(([written, secret]) => ({ id: sealKeyId(written), secret }));
  }

  private reason(): string | undefined {
    const ids = Array.from(this.peppers.keys(), sealKeyId);
    if (new Set(ids).size < ids.length) return 'two ids of peppers differ in capitals or punctuation alone';
    const unfit = ids.find((id) => id === '' || id.length > MAX_ID_LENGTH);
    if (unfit !== undefined) return `an id of peppers needs 1 to ${MAX_ID_LENGTH} letters and digits`;
    if (this.activePepperId === undefined) {
      const isDecided = this.all.length < 2 || this.all[0]?.id === null;
      return isDecided ? undefined : 'several peppers are configured: set the active one';
    }
    if (this.active) return undefined;
    if (!ids.includes(sealKeyId(this.activePepperId))) return 'peppers has no pepper of that id';
    return `peppers.${this.activePepperId} is empty: set it to ${PEPPER_TEXT.expects}`;
  }
}
