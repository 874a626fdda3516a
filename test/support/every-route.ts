import { expect } from 'vitest';
import { STATUS } from '../../src/errors/error-code.js';
import { AuthenticatorApp } from './authenticator-app.js';
import { type Answer, type RequestOptions, textOf } from './http-client.js';
import { type Enrolled, type LoginStory, PASSWORD, type Person } from './login-story.js';
import { sendRaw } from './raw-http.js';
import type { ServiceRoute } from './route-list.js';
import './matchers.js';

type Fields = Readonly<Record<string, string>>;

/** Routes that strangers may call. Every other one, also one that is new, must refuse them. */
const OPEN = new Set([
  'GET /openapi.json',
  'GET /docs',
  ...['GET /', 'GET /actuator/health', 'GET /actuator/health/', 'GET /actuator/health/*'],
  ...['GET /.well-known/jwks.json', 'GET /.well-known/oauth-authorization-server'],
  ...['GET /portal/login', 'POST /portal/login', 'POST /portal/logout', 'GET /portal/resume'],
  ...['GET /saml', 'GET /saml/forward.js', 'GET /saml/:idp/login', 'POST /saml/:idp/acs'],
  ...['GET /saml/:idp/metadata', 'GET /saml/:idp/slo', 'POST /saml/:idp/slo', 'POST /saml/:idp/logout'],
  ...['POST /login', 'POST /login/2fa', 'POST /session', 'DELETE /session'],
  ...['POST /token/refresh', 'POST /token/revoke', 'POST /token/introspect'],
]);
/** Closed routes that also take callers whose second factor is open. */
const HALF = new Set([
  ...['POST /2fa/setup', 'GET /2fa/setup/qr.svg', 'GET /2fa/setup/qr.png', 'POST /2fa/confirm', 'POST /2fa/verify'],
  ...['verify', 'setup', 'confirm'].flatMap((page) => [`GET /2fa/portal/${page}`, `POST /2fa/portal/${page}`]),
]);
/** Closed routes that ask for both factors before they look at the request. */
const OTP = new Set(['GET /me/settlement', 'POST /2fa/backup-codes']);
/** Routes that ask for an administrator, which needs both factors, too. */
const ADMIN = /^\S+ \/admin\//;
/** Paths that ask for an operator, whom cookies and half tokens do not show; none of the callers here is one. */
const MANAGEMENT = /^\/actuator(?:\/|$)/;

export type CallerName = (typeof CALLERS)[number];
export const CALLERS = [
  ...(['a stranger', 'an mfa_token', 'a half-authenticated session'] as const),
  ...(['a login by password', 'a login with both factors', 'an administrator'] as const),
] as const;

export function nameOf({ method, template }: ServiceRoute): string {
  return `${method} ${template}`;
}

/** A path of the route. */
export function pathOf({ template }: Pick<ServiceRoute, 'template'>, parameter = 'some-id'): string {
  return template.replaceAll(/:\w+|\*$/g, () => parameter);
}

export function isOpen(route: ServiceRoute): boolean {
  return OPEN.has(asGet(route));
}

export function mayPass(caller: CallerName, route: ServiceRoute): boolean {
  const name = asGet(route);
  if (OPEN.has(name)) return true;
  if (caller === 'a stranger' || MANAGEMENT.test(route.template)) return false;
  if (caller === 'an mfa_token' || caller === 'a half-authenticated session') return HALF.has(name);
  if (ADMIN.test(name)) return caller === 'an administrator';
  return caller !== 'a login by password' || !OTP.has(name);
}

/** HEAD is GET to whoever judges it. */
function asGet({ method, template }: ServiceRoute): string {
  return `${method === 'HEAD' ? 'GET' : method} ${template}`;
}

/** The refusal of a caller that a route does not take, where nothing else is wrong with the request. */
export function refusalOf(caller: CallerName, { template }: ServiceRoute): readonly [number, string] {
  if (caller === 'a stranger') return [401, 'INVALID_TOKEN'];
  const isSecondFactor = /^\/2fa(?:\/|$)/.test(template);
  const isManagement = MANAGEMENT.test(template);
  if (caller === 'an mfa_token') return isSecondFactor ? [403, 'MFA_REQUIRED'] : [401, 'INVALID_TOKEN'];
  if (caller === 'a half-authenticated session') return isManagement ? [401, 'INVALID_TOKEN'] : [403, 'MFA_REQUIRED'];
  return isManagement || template.startsWith('/admin/') ? [403, 'ACCESS_DENIED'] : [401, 'STEP_UP_REQUIRED'];
}

/** Everybody who calls the routes of a story, with credentials that are good whenever they are asked for. */
export class Callers {
  /** Every answer of the run, heads included. */
  readonly seen: string[] = [];
  private readonly known = new Map<CallerName, Fields>();
  private people: { readonly plain: Person; readonly enrolled: Enrolled; readonly admin: Enrolled } | undefined;
  private sent = 0;

  constructor(
    private readonly story: LoginStory,
    private readonly adminId: string,
  ) {}

  /** What this caller puts into a request. */
  async credentials(caller: CallerName): Promise<Fields> {
    const known = this.known.get(caller);
    if (known && (await this.isGood(caller, known))) return known;
    const fresh = await this.signIn(caller);
    expect(await this.isGood(caller, fresh), `${caller} is who it should be`).toBe(true);
    this.known.set(caller, fresh);
    return fresh;
  }

  /** Sends what must be answered soundly, whatever the answer is. */
  async send(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    this.sent += 1;
    const id = `every-route-${this.sent}`;
    const answer = await this.story.client().send(method, path, {
      ...options,
      headers: { 'x-request-id': id, ...options.headers },
    });
    return this.judged(answer, id);
  }

  /** The same for a path that no client library would send as it is; the answer must be one. */
  async sendRaw(method: string, path: string, headers: Fields = {}): Promise<Answer> {
    this.sent += 1;
    const id = `every-route-${this.sent}`;
    const fields = Object.entries({ host: 'x', connection: 'close', 'x-request-id': id, ...headers });
    const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const { statuses, text } = await sendRaw(this.story.service.url, `${method} ${path} HTTP/1.1\r\n${lines}\r\n`);
    expect(statuses, path).toHaveLength(1);
    return this.judged(answerOf(`${method} ${path}`, text), id);
  }

  /** Notes an answer that nobody judges here. */
  note(text: string): void {
    this.seen.push(text);
  }

  private judged(answer: Answer, id: string): Answer {
    // Health tells callers that it knows which disk it watches, and how it asks which database.
    const text = answer.text.replace(/("(?:diskSpace|db)":\{"status":"UP"),"details":\{[^}]*\}/g, '$1');
    this.note(`${answer.request}\n${JSON.stringify([...answer.headers])}\n${text}`);
    expect(flawsOf(answer, id), shown(answer)).toEqual([]);
    return answer;
  }

  private async isGood(caller: CallerName, headers: Fields): Promise<boolean> {
    if (caller === 'a stranger') return true;
    const hasOtp = caller === 'a login with both factors' || caller === 'an administrator';
    const { status } = await this.story.client().get(hasOtp ? '/me/settlement' : '/2fa', { headers });
    return status === (caller === 'an mfa_token' || caller === 'a half-authenticated session' ? 403 : 200);
  }

  private async meet(): Promise<NonNullable<Callers['people']>> {
    const { story } = this;
    return { plain: story.person(), enrolled: await story.enrolled(), admin: await this.enrolledAdmin() };
  }

  /** Policy demands a second factor of administrators: they set it up before they have a login. */
  private async enrolledAdmin(): Promise<Enrolled> {
    const { story } = this;
    const person = { id: this.adminId, password: PASSWORD };
    const client = story.client();
    const token = bearer(await story.mfaToken(person, client));
    const setup = await client.post('/2fa/setup', {}, { headers: token });
    const app = AuthenticatorApp.scan(textOf(setup, 'otpauth_uri'));
    const confirmed = await client.post('/2fa/confirm', { code: story.codeOf(app) }, { headers: token });
    expect(confirmed).toBeAnswered(200);
    return { ...person, app, backupCodes: [], client, accessToken: textOf(confirmed, 'access_token') };
  }

  private async signIn(caller: CallerName): Promise<Fields> {
    if (caller === 'a stranger') return {};
    const { plain, enrolled, admin } = (this.people ??= await this.meet());
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
      case 'an administrator':
        return bearer((await this.story.signIn(admin)).accessToken);
    }
  }
}

function bearer(token: string): Fields {
  return { authorization: `Bearer ${token}` };
}

/** Headers of every answer (http-api section 9). */
const HEADERS: Fields = {
  'api-version': '1',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};
const NEVER = ['x-powered-by', 'server', 'access-control-allow-origin', 'access-control-allow-credentials'];
const MEMBERS = ['code', 'instance', 'request_id', 'status', 'timestamp', 'title', 'type'];

/** What is wrong with any answer at all; of a refusal, the whole form is asked for (http-api section 1). */
function flawsOf(answer: Answer, sentId: string): string[] {
  const { status, headers, body, text, cookies } = answer;
  const flaws = Object.entries(HEADERS).flatMap(([name, value]) => (headers.get(name) === value ? [] : [name]));
  flaws.push(...NEVER.filter((name) => headers.has(name)));
  const id = headers.get('x-request-id');
  const policy = headers.get('content-security-policy') ?? '';
  const isHead = answer.request.startsWith('HEAD ');
  const path = answer.request.replace(/^\S+ (?:https?:\/\/[^/]*)?/i, '').replace(/[?#].*/s, '');
  const code = String(body['code']);
  // What a management endpoint says of a name that does not exist.
  const isNotThere = status === 404 && MANAGEMENT.test(path) && headers.get('content-length') === '0';
  // A request that could not be read as one has no path, nor an id (docs/errors.md).
  const isRaw = status === 400 && headers.get('connection') === 'close' && !('instance' in body) && text !== '';
  const expected = [
    ...MEMBERS.filter((member) => !isRaw || member !== 'instance'),
    ...(code === 'VALIDATION_FAILED' ? ['errors'] : []),
  ]
    .toSorted()
    .join(' ');
  const rules: Readonly<Record<string, boolean>> = {
    'a defect': status < 500,
    'x-request-id': isRaw ? id !== null && /^[\w-]{22}$/.test(id) : id === sentId,
    'content-security-policy': policy.startsWith("default-src 'none'"),
    // Pages send a browser on whose session is far enough, to paths of our own alone.
    location: status === 303 ? /^\/(?!\/)/.test(headers.get('location') ?? '') : !headers.has('location'),
    'a body to HEAD': !isHead || text === '' || isRaw,
    ...(isNotThere && { 'cache-control': headers.get('cache-control') === 'no-store', 'a body': text === '' }),
    ...(status >= 400 &&
      !isNotThere && {
        'media type': /^application\/problem\+json(?:;\s*charset=utf-8)?$/i.test(headers.get('content-type') ?? ''),
        'cache-control': headers.get('cache-control') === 'no-store',
        'a cookie': cookies.every(({ value }) => value === ''),
        'retry-after': headers.has('retry-after') === (status === 429 || status === 503),
        'www-authenticate': headers.has('www-authenticate') || !['INVALID_TOKEN', 'STEP_UP_REQUIRED'].includes(code),
        allow: headers.has('allow') === (status === 405),
      }),
    ...(status >= 400 &&
      !isHead &&
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

/** Reads an answer that came over the wire alone. */
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
