import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LEAK } from '../../support/programs/leak.js';
import { storyOn } from '../../support/login/login-story.js';
import { PAGE_POLICY } from '../../support/pages/pages.js';
import { sendRaw } from '../../support/http/raw-http.js';
import { type RunningService, startService } from '../../support/programs/service.js';
import { onSqlite } from '../../support/database/story-database.js';

const JSON_TYPE = 'application/json';
const CREDENTIALS = { id: 'somebody', pw: 'correct horse battery staple' };

/** Routes that accept a body from an unauthenticated caller, each with a well-formed body. */
const OPEN: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['/login', CREDENTIALS],
  ['/session', CREDENTIALS],
  ['/login/2fa', { mfa_token: 'e30.e30.e30', code: '123456' }],
];

let service: RunningService;
const seen: string[] = [];

beforeAll(async () => {
  service = await startService();
});

afterAll(() => service.release());

async function send(path: string, init: RequestInit = {}): Promise<{ status: number; headers: Headers; body: string }> {
  const answer = await fetch(service.url + path, init);
  const body = await answer.text();
  seen.push(`${JSON.stringify([...answer.headers])}\n${body}`);
  return { status: answer.status, headers: answer.headers, body };
}

function post(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): ReturnType<typeof send> {
  const sent = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  return send(path, {
    method: 'POST',
    headers: { 'content-type': JSON_TYPE, ...headers },
    body: sent as NonNullable<RequestInit['body']>,
  });
}

describe.each(OPEN)('POST %s', (path, fitting) => {
  const members = Object.keys(fitting);

  it(`POST ${path} rejects a well-formed body with unknown credentials with 401`, async () => {
    expect((await post(path, fitting)).status).toBe(401);
  });

  it(`H1: POST ${path} rejects every wrong type of every member`, async () => {
    for (const member of members) {
      for (const value of [null, 1, true, [], ['a'], {}, { $gt: '' }, { toString: 'a' }, '']) {
        const { status } = await post(path, { ...fitting, [member]: value });

        expect(status, `${member} ${JSON.stringify(value)}`).toBe(400);
      }
      const rest = Object.fromEntries(Object.entries(fitting).filter(([name]) => name !== member));
      expect((await post(path, rest)).status, `without ${member}`).toBe(400);
    }
  });

  it(`H4: POST ${path} rejects prototype members and unknown members`, async () => {
    const inner = JSON.stringify(fitting).slice(1, -1);
    for (const more of [
      '"__proto__":{"mfa_required":false}',
      '"constructor":{"prototype":{"x":1}}',
      '"mfa_required":false',
      '"roles":["ROLE_ADMIN"]',
      '"toString":"x"',
      '"step":1',
    ]) {
      expect((await post(path, `{${inner},${more}}`)).status, more).toBe(400);
      expect((await post(path, `{${more},${inner}}`)).status, more).toBe(400);
    }
    expect((await post(path, fitting)).status).toBe(401);
  });

  it(`H9, S5: POST ${path} rejects cross-site requests`, async () => {
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      const { status, body, headers: answered } = await post(path, fitting, headers);

      expect(status, JSON.stringify(headers)).toBe(403);
      expect(JSON.parse(body)).toMatchObject({ code: 'CROSS_SITE' });
      expect(answered.get('access-control-allow-origin')).toBeNull();
      expect(body).not.toContain('evil.example');
    }
  });
});

it('H3: SQL, operators and templates as a login id get INVALID_CREDENTIALS', async () => {
  for (const id of [
    "' OR '1'='1",
    'admin"--',
    "'; DROP TABLE account; --",
    '{"$gt":""}',
    '${7*7}',
    '{{7*7}}',
    '%00',
    '\\',
  ]) {
    const { status, body } = await post('/login', { id, pw: id });

    expect(status, id).toBe(401);
    expect(JSON.parse(body)).toMatchObject({ code: 'INVALID_CREDENTIALS' });
  }
});

describe('pages and management endpoints', () => {
  it.each([
    ['/portal/login', PAGE_POLICY],
    ['/actuator/health', "default-src 'none'; frame-ancestors 'none'"],
  ])('%s has the default response headers', async (path, policy) => {
    const { status, headers } = await send(path);

    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      'api-version': '1',
      'cache-control': 'no-store',
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
  });

  it('H9: no response contains a forged Host', async () => {
    for (const path of [
      '/',
      '/portal/login',
      '/nowhere',
      '/me',
      '/.well-known/jwks.json',
      'http://evil.example/nowhere',
    ]) {
      const { text } = await sendRaw(
        service.url,
        `GET ${path} HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\nConnection: close\r\n\r\n`,
      );

      expect(text).toMatch(/^HTTP\/1\.1 [234]/);
      expect(text).not.toContain('evil.example');
    }
  });
});

/** Spellings of `/me`, some of which reach it, and of other routes that are closed until the second factor succeeds. */
const SPELLINGS = [
  '/me',
  '/2fa/../me',
  '/2fa/%2e%2e/me',
  '/2fa/..%2fme',
  '/2fa/..;/me',
  '/2fa;/../me',
  '/2fa//../me',
  '/2fa/./me',
  '//me',
  '/me/',
  '/me;jsessionid=1',
  '/me%2f',
  '/me%00',
  '/ME',
  '/%6d%65',
  '/login/../me',
  '\\me',
  '/me?/2fa/',
  '/me#/2fa/',
  'http://x/me',
  '*me',
  '/me/settlement',
  '/2fa/../me/settlement',
  '/2fa/verify/../../me',
  '/2fa/verify/%2e%2e/%2e%2e/sessions',
  '/2fa%2f..%2fsessions',
  '/2fa/verify;/../../sessions',
  '/2fa\\..\\sessions',
  '/%32fa/../sessions',
  '/sessions?x=/2fa/verify',
  '/%2fsessions',
  '/me/%2e%2e/session',
  'http://x/2fa/../session',
  'http://x/2fa@me',
];
/** Spellings of the context path itself. */
const AROUND_AUTH = [
  '/me',
  '/authme',
  '/auth/../me',
  '/auth/../auth/me',
  '/auth/2fa/../../me',
  '//auth/me',
  '/auth;x/me',
  '/AUTH/me',
  '/%61uth/me',
  '/auth%2fme',
  '/2fa/../auth/me',
];

/** The status of GET for a path that no client library normalises. */
async function statusOfRaw(url: string, path: string, header = 'X-None: x'): Promise<number> {
  const { statuses, text } = await sendRaw(
    url,
    `GET ${path} HTTP/1.1\r\nHost: x\r\n${header}\r\nConnection: close\r\n\r\n`,
  );
  seen.push(text);
  expect(statuses, path).toHaveLength(1);
  return statuses[0] ?? 0;
}

describe.each([
  ['without a context path', '', SPELLINGS],
  ['below a context path', '/auth', [...SPELLINGS.map(belowAuth), ...AROUND_AUTH]],
])('H8: path spellings %s', (title, context, paths) => {
  onSqlite('half-authenticated callers', (engine) => {
    const story = storyOn(engine, { people: 3, args: [`--server.servlet.context-path=${context}`] });

    async function halfSession(): Promise<string> {
      const { id, password } = await story.enrolled();
      const browser = story.client();
      expect(await browser.post('/session', { id, pw: password })).toBeAnswered(200);
      // Shows that the session is valid: otherwise all requests below would fail for another reason.
      expect(await browser.get('/me')).toBeRefused(403, 'MFA_REQUIRED');
      return `Cookie: SESSION=${browser.cookie('SESSION') ?? ''}`;
    }

    async function mfaToken(): Promise<string> {
      const token = await story.mfaToken(await story.enrolled());
      expect(await story.client().get('/2fa', { bearer: token })).toBeRefused(403, 'MFA_REQUIRED');
      return `Authorization: Bearer ${token}`;
    }

    it.each([
      ['a half-authenticated session', halfSession, 403],
      ['an mfa_token', mfaToken, 401],
    ])(`H8: no spelling of a path ${title} bypasses the rules for %s`, async (_, credential, refused) => {
      const header = await credential();

      const answers = new Map<string, number>();
      for (const path of paths) answers.set(path, await statusOfRaw(story.service.url, path, header));

      for (const [path, status] of answers) expect([400, refused, 404], path).toContain(status);
      expect(answers.get(`${context}/me`)).toBe(refused);
      expect(story.service.troubles.join()).not.toContain('ERROR');
    });

    it(`H8: some spellings of /me ${title} serve a full login`, async () => {
      const { accessToken } = await story.enrolled();
      const header = `Authorization: Bearer ${accessToken}`;

      for (const path of ['/me', '/%6d%65', '/me?/2fa/']) {
        expect(await statusOfRaw(story.service.url, context + path, header), path).toBe(200);
      }
    });
  });
});

function belowAuth(path: string): string {
  return path.startsWith('http://x') ? path.replace('http://x', 'http://x/auth') : `/auth${path}`;
}

it('L4: no response shows internals, and no request caused an internal error', () => {
  expect(seen.length).toBeGreaterThan(100);
  expect(seen.flatMap((answer) => LEAK.exec(answer)?.[0] ?? [])).toEqual([]);
  expect(service.troubles.join()).not.toContain('ERROR');
});

describe('server.servlet.context-path', () => {
  it('the context path applies to routes, home page and management endpoints', async () => {
    const mounted = await startService({ args: ['--server.servlet.context-path=/auth'] });
    const { origin } = new URL(mounted.url);
    const statusOf = async (path: string): Promise<number> => (await fetch(origin + path)).status;

    expect(mounted.url).toBe(`${origin}/auth`);
    expect(await statusOf('/auth')).toBe(200);
    expect(await statusOf('/auth/')).toBe(200);
    expect(await statusOf('/auth/actuator/health')).toBe(200);
    expect(await statusOf('/auth/me')).toBe(401);
    for (const path of ['/', '/actuator/health', '/me', '/authme']) expect(await statusOf(path), path).toBe(404);
    await mounted.release();
  });

  it('the context path does not apply to management endpoints on a separate port', async () => {
    const mounted = await startService({ args: ['--server.servlet.context-path=/auth', '--management.server.port=0'] });

    expect((await fetch(`${mounted.managementUrl ?? ''}/health`)).status).toBe(200);
    expect((await fetch(`${mounted.url}/actuator/health`)).status).toBe(404);
    await mounted.release();
  });
});

it('error responses contain detail and trace if server.error.include-* is always', async () => {
  const talkative = await startService({
    args: ['--server.error.include-message=always', '--server.error.include-stacktrace=always'],
  });
  const problem = (await (await fetch(`${talkative.url}/nowhere`)).json()) as Record<string, unknown>;
  await talkative.release();

  expect(problem).toMatchObject({ code: 'NOT_FOUND', detail: 'Correct the path.' });
  expect(problem['trace']).toMatch(/^ServiceError\n\s+at /);
  expect(problem['trace']).not.toContain(process.cwd());
});
