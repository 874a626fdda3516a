import { expect } from 'vitest';
import { STATUS } from '../../../src/kernel/errors/error-code.js';
import { AuthenticatorApp } from '../login/authenticator-app.js';
import { type Answer, type RequestOptions, textOf } from './http-client.js';
import { type Enrolled, type LoginStory, PASSWORD, type Person } from '../login/login-story.js';
import { sendRaw } from './raw-http.js';
import type { ServiceRoute } from '../programs/route-list.js';
import '../runner/matchers.js';
import { membersOf } from '../runner/tier.js';

type Fields = Readonly<Record<string, string>>;

/** Routes for unauthenticated callers. Every other route, a new one too, must reject them. */
const OPEN = new Set([
  'GET /openapi.json',
  'GET /docs',
  ...['GET /', 'GET /actuator/health', 'GET /actuator/health/', 'GET /actuator/health/*'],
  ...['GET /.well-known/jwks.json', 'GET /.well-known/oauth-authorization-server'],
  ...['GET /portal/login', 'POST /portal/login', 'GET /portal/logout', 'POST /portal/logout', 'GET /portal/resume'],
  ...['GET /portal/login/passkey', 'POST /portal/login/passkey', 'POST /login/passkey', 'POST /login/passkey/options'],
  ...['GET /assets/:name', 'GET /favicon.ico', 'GET /.well-known/change-password'],
  ...['forgot', 'reset', 'invitation', 'unlock', 'not-me', 'email'].flatMap((page) => [
    `GET /portal/${page}`,
    `POST /portal/${page}`,
  ]),
  ...['GET /saml', 'GET /saml/forward.js', 'GET /saml/:idp/login', 'POST /saml/:idp/acs'],
  ...['GET /saml/:idp/metadata', 'GET /saml/:idp/slo', 'POST /saml/:idp/slo', 'POST /saml/:idp/logout'],
  ...['POST /login', 'POST /login/2fa', 'POST /session', 'DELETE /session'],
  ...['POST /token/refresh', 'POST /token/revoke', 'POST /token/introspect'],
  ...['POST /password/forgot', 'POST /password/reset', 'POST /unlock', 'POST /invitation', 'POST /account/not-me'],
  ...['POST /account/email', 'POST /portal/password-strength'],
  // Applications, and the proxies before them, authenticate in their own way.
  ...['GET /.well-known/openid-configuration', 'GET /authorize', 'POST /authorize', 'POST /par', 'POST /token'],
  'POST /revoke',
  ...['GET /userinfo', 'POST /userinfo', 'GET /end-session', 'POST /end-session'],
  ...['', '/sign-in', '/authorize', '/callback'].map((path) => `GET /forward-auth${path}`),
]);
/** Closed routes that also accept an mfa_token or a half-authenticated session. */
const HALF = new Set([
  ...['POST /2fa/setup', 'GET /2fa/setup/qr.svg', 'GET /2fa/setup/qr.png', 'POST /2fa/confirm', 'POST /2fa/verify'],
  ...['POST /2fa/passkeys', 'POST /2fa/passkeys/registration/options'],
  ...['POST /2fa/passkeys/assertion', 'POST /2fa/passkeys/assertion/options'],
  ...['verify', 'setup', 'confirm', 'passkey', 'codes'].flatMap((page) => [
    `GET /2fa/portal/${page}`,
    `POST /2fa/portal/${page}`,
  ]),
]);
/** Closed routes that require both factors before they validate the request. */
const OTP = new Set(['GET /me/settlement', 'POST /2fa/backup-codes']);
/** Routes of administrators that the help desk may use, too. */
const HELP_DESK = new Set([
  ...['GET /admin/users', 'GET /admin/users/:sub', 'GET /admin/users/:sub/sessions', 'GET /admin/users/:sub/devices'],
  ...['POST /admin/users/:sub/unlock', 'POST /admin/users/:sub/mfa/reset', 'GET /admin/events'],
  'DELETE /admin/users/:sub/authenticators/:id',
  'POST /admin/users/:sub/access-code',
]);
/** Routes that require an administrator, who needs both factors too. */
const ADMIN = /^\S+ \/admin\//;
/** A parameter of a template. */
const PARAMETER = /:\w+|\*$/g;
/** Paths that require an operator, whom neither cookies nor mfa_tokens identify; no caller here is one. */
const MANAGEMENT = /^\/actuator(?:\/|$)/;

export type CallerName = (typeof CALLERS)[number];
export const CALLERS = [
  ...(['an unauthenticated caller', 'an mfa_token', 'a half-authenticated session'] as const),
  ...(['a login by password', 'a login with both factors', 'the help desk', 'an administrator'] as const),
] as const;

/**
 * The routes on which the rules of the host are tested, which hold before a handler is chosen: a public GET, one with a
 * parameter of its own, a JSON body, a form of a page, an authenticated GET, an upload, and a management endpoint.
 */
export const REPRESENTATIVES: ReadonlySet<string> = new Set([
  ...['GET /.well-known/jwks.json', 'POST /login', 'POST /portal/login', 'GET /me', 'DELETE /sessions/:id'],
  ...['POST /admin/users/import', 'GET /actuator/health'],
]);

/** The routes of a family of tests about the host. */
export function hostFamily(routes: readonly ServiceRoute[]): readonly ServiceRoute[] {
  return membersOf(routes, (route) => REPRESENTATIVES.has(nameOf(route)));
}

/** The callers of a family of tests whose result does not depend on the caller. */
export function someCallers(): readonly CallerName[] {
  return membersOf(CALLERS, (caller) => caller === 'an unauthenticated caller' || caller === 'an administrator');
}

export function nameOf({ method, template }: ServiceRoute): string {
  return `${method} ${template}`;
}

/** A path of the route. */
export function pathOf({ template }: Pick<ServiceRoute, 'template'>, parameter = 'some-id'): string {
  return template.replaceAll(PARAMETER, () => parameter);
}

/** Paths of the route with this value for one parameter each; the others are harmless. */
export function pathsWith({ template }: Pick<ServiceRoute, 'template'>, parameter: string): readonly string[] {
  const names = template.match(PARAMETER) ?? [];
  return names.map((_, at) => {
    let index = 0;
    return template.replaceAll(PARAMETER, () => (index++ === at ? parameter : 'some-id'));
  });
}

/** True if the path belongs to the route: `/users/import` also belongs to `/users/:sub`. */
export function matches({ template }: Pick<ServiceRoute, 'template'>, path: string): boolean {
  const [wanted, given] = [template.split('/'), path.split('/')];
  return (
    wanted.length === given.length &&
    wanted.every((part, at) => part === given[at] || (/^[:*]/.test(part) && given[at] !== ''))
  );
}

export function isOpen(route: ServiceRoute): boolean {
  return OPEN.has(asGet(route));
}

export function mayPass(caller: CallerName, route: ServiceRoute): boolean {
  const name = asGet(route);
  if (OPEN.has(name)) return true;
  if (caller === 'an unauthenticated caller' || MANAGEMENT.test(route.template)) return false;
  if (caller === 'an mfa_token' || caller === 'a half-authenticated session') return HALF.has(name);
  if (ADMIN.test(name)) return caller === 'an administrator' || (caller === 'the help desk' && HELP_DESK.has(name));
  return caller !== 'a login by password' || !OTP.has(name);
}

/** The access rules treat HEAD like GET. */
function asGet({ method, template }: ServiceRoute): string {
  return `${method === 'HEAD' ? 'GET' : method} ${template}`;
}

/** Status and code for a caller without access to the route, if the request is otherwise valid. */
export function refusalOf(caller: CallerName, { template }: ServiceRoute): readonly [number, string] {
  if (caller === 'an unauthenticated caller') return [401, 'INVALID_TOKEN'];
  const isSecondFactor = /^\/2fa(?:\/|$)/.test(template);
  const isManagement = MANAGEMENT.test(template);
  if (caller === 'an mfa_token') return isSecondFactor ? [403, 'MFA_REQUIRED'] : [401, 'INVALID_TOKEN'];
  if (caller === 'a half-authenticated session') return isManagement ? [401, 'INVALID_TOKEN'] : [403, 'MFA_REQUIRED'];
  return isManagement || template.startsWith('/admin/') ? [403, 'ACCESS_DENIED'] : [401, 'STEP_UP_REQUIRED'];
}

/** The callers of the routes of a story. Their credentials are renewed when they expire. */
export class Callers {
  /** Every response of the run, with its headers. */
  readonly seen: string[] = [];
  private readonly known = new Map<CallerName, Fields>();
  private people: Readonly<Record<'enrolled' | 'desk' | 'admin', Enrolled> & { plain: Person }> | undefined;
  private sent = 0;

  constructor(
    private readonly story: LoginStory,
    private readonly adminId: string,
    private readonly helpDeskId: string,
  ) {}

  /** Valid credentials of this caller, as request headers. */
  async credentials(caller: CallerName): Promise<Fields> {
    const known = this.known.get(caller);
    if (known && (await this.isGood(caller, known))) return known;
    const fresh = await this.signIn(caller);
    expect(await this.isGood(caller, fresh), `${caller} is who it should be`).toBe(true);
    this.known.set(caller, fresh);
    return fresh;
  }

  /** Sends a request and checks that its response is well-formed, whatever the status. */
  async send(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    this.sent += 1;
    const id = `every-route-${this.sent}`;
    const answer = await this.story.client().send(method, path, {
      ...options,
      headers: { 'x-request-id': id, ...options.headers },
    });
    return this.judged(answer, id);
  }

  /** Like `send`, for a path that client libraries would normalise. Expects exactly one response. */
  async sendRaw(method: string, path: string, headers: Fields = {}): Promise<Answer> {
    this.sent += 1;
    const id = `every-route-${this.sent}`;
    const fields = Object.entries({ host: 'x', connection: 'close', 'x-request-id': id, ...headers });
    const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const { statuses, text } = await sendRaw(this.story.service.url, `${method} ${path} HTTP/1.1\r\n${lines}\r\n`);
    expect(statuses, path).toHaveLength(1);
    return this.judged(answerOf(`${method} ${path}`, text), id);
  }

  /** Records a response without checking it. */
  note(text: string): void {
    this.seen.push(text);
  }

  private judged(answer: Answer, id: string): Answer {
    // Health shows disk and database details to authenticated callers.
    const text = answer.text.replace(/("(?:diskSpace|db)":\{"status":"UP"),"details":\{[^}]*\}/g, '$1');
    this.note(`${answer.request}\n${JSON.stringify([...answer.headers])}\n${text}`);
    expect(flawsOf(answer, id), shown(answer)).toEqual([]);
    return answer;
  }

  private async isGood(caller: CallerName, headers: Fields): Promise<boolean> {
    if (caller === 'an unauthenticated caller') return true;
    const hasOtp = ['a login with both factors', 'the help desk', 'an administrator'].includes(caller);
    const { status } = await this.story.client().get(hasOtp ? '/me/settlement' : '/2fa', { headers });
    return status === (caller === 'an mfa_token' || caller === 'a half-authenticated session' ? 403 : 200);
  }

  private async meet(): Promise<NonNullable<Callers['people']>> {
    const { story } = this;
    return {
      plain: story.person(),
      enrolled: await story.enrolled(),
      desk: await this.enrolledBeforeLogin(this.helpDeskId),
      admin: await this.enrolledBeforeLogin(this.adminId),
    };
  }

  /** Policy requires a second factor of administrators and the help desk: they enrol before their first full login. */
  private async enrolledBeforeLogin(id: string): Promise<Enrolled> {
    const { story } = this;
    const person = { id, password: PASSWORD };
    const client = story.client();
    const token = bearer(await story.mfaToken(person, client));
    const setup = await client.post('/2fa/setup', {}, { headers: token });
    const app = AuthenticatorApp.scan(textOf(setup, 'otpauth_uri'));
    const confirmed = await client.post('/2fa/confirm', { code: story.codeOf(app) }, { headers: token });
    expect(confirmed).toBeAnswered(200);
    return { ...person, app, backupCodes: [], client, accessToken: textOf(confirmed, 'access_token') };
  }

  private async signIn(caller: CallerName): Promise<Fields> {
    if (caller === 'an unauthenticated caller') return {};
    const { plain, enrolled, desk, admin } = (this.people ??= await this.meet());
    switch (caller) {
      case 'an mfa_token':
        return bearer(await this.story.mfaToken(enrolled));
      case 'a half-authenticated session': {
        const browser = this.story.client();
        const answer = await browser.post('/session', { id: enrolled.id, pw: enrolled.password });
        expect(answer).toBeAnswered(200);
        return { cookie: `SESSION=${browser.cookie('SESSION') ?? ''}` };
      }
      case 'a login by password':
        return bearer((await this.story.signInByPassword(plain)).accessToken);
      case 'a login with both factors':
        return bearer((await this.story.signIn(enrolled)).accessToken);
      case 'the help desk':
        return bearer((await this.story.signIn(desk)).accessToken);
      case 'an administrator':
        return bearer((await this.story.signIn(admin)).accessToken);
    }
  }
}

function bearer(token: string): Fields {
  return { authorization: `Bearer ${token}` };
}

/** Headers of every response (http-api section 9). */
const HEADERS: Fields = {
  'api-version': '1',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};
const NEVER = ['x-powered-by', 'server', 'access-control-allow-origin', 'access-control-allow-credentials'];
/** Paths whose errors have the form of OAuth (RFC 6749 section 5.2, RFC 6750 section 3). */
const OAUTH = /^\/(?:par|token|userinfo|revoke)$/;
const MEMBERS = ['code', 'instance', 'request_id', 'status', 'timestamp', 'title', 'type'];

/** Violations of the rules for all responses; error responses must be complete problem documents (http-api section 1). */
function flawsOf(answer: Answer, sentId: string): string[] {
  const { status, headers, body, text, cookies } = answer;
  const flaws = Object.entries(HEADERS).flatMap(([name, value]) => (headers.get(name) === value ? [] : [name]));
  flaws.push(...NEVER.filter((name) => headers.has(name)));
  const id = headers.get('x-request-id');
  const policy = headers.get('content-security-policy') ?? '';
  const isHead = answer.request.startsWith('HEAD ');
  const path = answer.request.replace(/^\S+ (?:https?:\/\/[^/]*)?/i, '').replace(/[?#].*/s, '');
  const code = String(body['code']);
  // A management endpoint returns an empty 404 for an unknown name.
  const isNotThere = status === 404 && MANAGEMENT.test(path) && headers.get('content-length') === '0';
  // The response to an unparsable request has no path and a generated id (docs/reference/errors.md).
  const isRaw = status === 400 && headers.get('connection') === 'close' && !('instance' in body) && text !== '';
  const media = headers.get('content-type') ?? '';
  const isOAuth = OAUTH.test(path) && media.startsWith('application/json');
  const expected = [
    ...MEMBERS.filter((member) => !isRaw || member !== 'instance'),
    ...(code === 'VALIDATION_FAILED' ? ['errors'] : []),
    ...(code === 'STEP_UP_REQUIRED' ? ['required'] : []),
  ]
    .toSorted()
    .join(' ');
  const rules: Readonly<Record<string, boolean>> = {
    'a defect': status < 500,
    'x-request-id': isRaw ? id !== null && /^[\w-]{22}$/.test(id) : id === sentId,
    'content-security-policy': policy.startsWith("default-src 'none'"),
    // Pages redirect only to paths of the service itself.
    location: status === 303 ? /^\/(?!\/)/.test(headers.get('location') ?? '') : !headers.has('location'),
    'a body to HEAD': !isHead || text === '' || isRaw,
    ...(isNotThere && { 'cache-control': headers.get('cache-control') === 'no-store', 'a body': text === '' }),
    ...(status >= 400 &&
      !isNotThere && {
        'media type': isOAuth || /^application\/problem\+json(?:;\s*charset=utf-8)?$/i.test(media),
        'cache-control': headers.get('cache-control') === 'no-store',
        'a cookie': cookies.every(({ value }) => value === ''),
        'retry-after': headers.has('retry-after') === (status === 429 || status === 503),
        'www-authenticate': headers.has('www-authenticate') || !['INVALID_TOKEN', 'STEP_UP_REQUIRED'].includes(code),
        allow: headers.has('allow') === (status === 405),
      }),
    ...(isOAuth &&
      status >= 400 &&
      !isHead && { error: Object.keys(body).toSorted().join(' ') === 'error error_description' }),
    ...(status >= 400 &&
      !isHead &&
      !isOAuth &&
      !isNotThere && {
        'a code': Object.hasOwn(STATUS, code) && STATUS[code as keyof typeof STATUS] === status,
        status: body['status'] === status,
        members: Object.keys(body).toSorted().join(' ') === expected,
        request_id: body['request_id'] === id,
        instance: isRaw || body['instance'] === path,
      }),
  };
  return [...flaws, ...Object.keys(rules).filter((rule) => rules[rule] !== true)];
}

/** Parses a raw HTTP response. */
function answerOf(request: string, text: string): Answer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => /^([^:]*): ?(.*)$/s.exec(line)?.slice(1) as [string, string]),
  );
  const body = Buffer.from(rest.join('\r\n\r\n'), 'latin1').toString('utf8');
  const isJson = headers.get('content-type')?.includes('json') === true && body !== '';
  return {
    request,
    status: Number(first.split(' ')[1]),
    headers,
    cookies: headers.getSetCookie().map((line) => {
      const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(line) ?? [];
      return { name, value, attributes: {} };
    }),
    text: body,
    body: isJson ? (JSON.parse(body) as Answer['body']) : {},
  };
}

function shown({ request, status, text }: Answer): string {
  return `${request.slice(0, 200)} → ${status} ${text.slice(0, 400)}`;
}
