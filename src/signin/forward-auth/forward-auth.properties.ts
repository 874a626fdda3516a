import { Duration } from '../../config/bind/duration.js';
import { full } from '../../config/bind/effect.js';
import { duration, flag, list, objects, oneOf, type ScalarType, text } from '../../config/bind/key-type.js';
import { Key, Members, Properties } from '../../config/bind/properties.decorator.js';
import { ConversionProblem } from '../../config/problem.js';
import { ROLE_FORM } from '../../identity/account/account.js';
import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import { REQUESTABLE_ACRS, type RequestableAcr } from '../../kernel/principal/amr.js';
import { REQUEST_HEADERS, type RequestHeaders } from './proxied-request.js';
import type { AccessRule } from './access-rules.js';
import { requestTarget } from './request-target.js';

const ruleUrl: ScalarType<string> = {
  ...text(),
  name: 'URL',
  expects:
    'a URL such as https://wiki.example.com or https://wiki.example.com/admin, without a query or a slash at its end',
  parse: (value) => {
    const trimmed = value.trim();
    const url = /^https?:\/\/[^\s/?#@*]+(?:\/[^\s/?#]+)*$/.test(trimmed) ? URL.parse(trimmed) : null;
    const isPlain = url && (url.href === trimmed || url.href === `${trimmed}/`) && requestTarget(url.pathname);
    return isPlain
      ? trimmed
      : new ConversionProblem('not such a URL, as a browser writes it (lower case, no default port)');
  },
};

@Members()
export class ForwardAuthRuleProperties {
  @Key(ruleUrl, {
    does:
      'Application, or with a path a part of it, that the rule is for. Of several rules, the one with the longest path decides; a ' +
      'host without a rule is closed.',
    effect: full,
  })
  readonly url?: string;

  @Key(flag(), {
    does: 'Whether everyone may use it without a sign-in, such as the health page of an application.',
    effect: full,
  })
  readonly public: boolean = false;

  @Key(list(text({ form: ROLE_FORM, called: 'the name of a role such as ROLE_STAFF' })), {
    does: 'Roles of which a user needs one.',
    effect: full,
    defaultText: 'every user',
  })
  readonly roles: readonly string[] = [];

  @Key(oneOf(...REQUESTABLE_ACRS), {
    does: 'The least assurance of the sign-in; users without it prove a second factor first.',
    effect: full,
    defaultText: 'none',
  })
  readonly minAcr?: RequestableAcr;

  @Key(duration({ unit: 's', min: '1m' }), {
    does: 'The longest time since the user authenticated; older sign-ins are repeated.',
    effect: full,
    defaultText: 'none',
  })
  readonly maxAge?: Duration;
}

@Properties('app.security.forward-auth')
export class ForwardAuthProperties {
  @Key(oneOf(...REQUEST_HEADERS), {
    does:
      'Headers in which the proxy describes a request: forwarded reads X-Forwarded-Method, -Proto, -Host and -Uri, and redirects ' +
      'browsers with 302; original reads X-Original-Method and X-Original-URL, and answers 401 with Location, as nginx needs it.',
    effect: full,
  })
  readonly requestHeaders: RequestHeaders = 'forwarded';

  @Key(objects(ForwardAuthRuleProperties, 'name'), {
    does: 'Applications that a proxy protects with GET /forward-auth, by names of your choice.',
    effect: full,
  })
  readonly rules: ReadonlyMap<string, ForwardAuthRuleProperties> = new Map();

  /** The origins of the applications. */
  get origins(): readonly string[] {
    const urls = [...this.rules.values()].flatMap(({ url }) => url ?? []);
    return [...new Set(urls.map((url) => new URL(url).origin))];
  }
}

/** The rules that have a URL, which the configuration check demands of all. */
export function accessRulesOf({ rules }: ForwardAuthProperties): readonly AccessRule[] {
  return [...rules.values()].flatMap(({ url, public: isPublic, roles, minAcr, maxAge }) => {
    if (url === undefined) return [];
    const { origin, pathname } = new URL(url);
    const path = requestTarget(pathname)?.path.replace(/\/$/, '') ?? '';
    return [{ origin, path, isPublic, roles, ...withoutUndefined({ minAcr, maxAge: maxAge?.seconds }) }];
  });
}
