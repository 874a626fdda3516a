import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINT_IDS } from '../../src/management/access/endpoint-ids.js';
import { AuthenticatorApp } from '../support/login/authenticator-app.js';
import { type Answer, basic, HttpClient, textOf } from '../support/http/http-client.js';
import { PASSWORD, storyOn } from '../support/login/login-story.js';
import { type ManagementService, OPERATOR, startManagement } from '../support/management/management-service.js';
import { JSON_V3, OPERATOR_HEADERS, startManaged } from '../support/management/management.js';
import { SampleEndpoints } from '../support/management/sample-endpoints.js';
import { onSqlite } from '../support/database/story-database.js';
import '../support/runner/matchers.js';

const WRONG = basic('operator', 'wrong');
const CHALLENGES = ['Bearer', 'Basic realm="management", charset="UTF-8"'];
const HEALTH = ['/health', '/health/liveness', '/health/readiness'];
const CLOSED = ['', '/env', '/env/a', '/loggers', '/loggers/auth'];

type Fields = Readonly<Record<string, string>>;

/** Requests that look authenticated but are not. */
const FORGED: readonly (readonly [string, Fields])[] = [
  [
    'a user name in proxy headers',
    { 'x-forwarded-user': 'operator', 'x-remote-user': 'operator', remote_user: 'operator' },
  ],
  [
    'a loopback address in proxy headers',
    { 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '127.0.0.1', forwarded: 'for=127.0.0.1' },
  ],
  ['roles in headers', { 'x-roles': 'ROLE_MANAGEMENT', 'x-authorities': 'ROLE_MANAGEMENT', role: 'ROLE_MANAGEMENT' }],
  ['another path in proxy headers', { 'x-original-url': '/actuator/health', 'x-rewrite-url': '/actuator/health' }],
  ['made-up session cookies', { cookie: 'SESSION=operator; refresh_token=operator; JSESSIONID=operator' }],
  ['a wrong password', WRONG],
  ['another user name', basic('admin', 'operator: secret')],
  ['a password without a user name', basic('', 'operator: secret')],
  ['Basic credentials without a colon', { authorization: `Basic ${Buffer.from('operator').toString('base64')}` }],
  ['an unsupported scheme', { authorization: 'Digest username="operator"' }],
  ['a malformed access token', { authorization: 'Bearer operator' }],
  ['an unsigned access token', { authorization: `Bearer ${unsigned()}` }],
  ['credentials for a proxy', { 'proxy-authorization': OPERATOR.authorization }],
];

function unsigned(): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ typ: 'at+jwt', alg: 'none' })}.${part({ sub: 'x', roles: ['ROLE_MANAGEMENT'], exp: 9_999_999_999 })}.`;
}

function bearer(token: string): Fields {
  return { authorization: `Bearer ${token}` };
}

describe('authentication of management requests', () => {
  let service: ManagementService;

  beforeAll(async () => {
    service = await startManagement(new SampleEndpoints().all, ['--app.security.rate-limit.enabled=false']);
  });

  afterAll(() => service.stop());

  function get(path: string, headers: Fields = {}): Promise<Answer> {
    return new HttpClient(service.managementUrl).get(path, { headers });
  }

  it.each(CLOSED)('/actuator%s rejects unauthenticated requests with the Bearer and Basic challenges', async (path) => {
    const answer = await get(path);

    expect(answer).toBeRefused(401, 'INVALID_TOKEN');
    expect(answer.headers.get('www-authenticate')).toBe(CHALLENGES.join(', '));
  });

  it.each(CLOSED)('/actuator%s accepts the Basic account', async (path) => {
    expect(await get(path, OPERATOR)).toBeAnswered(200);
  });

  it.each(CLOSED)('/actuator%s accepts an access token with ROLE_MANAGEMENT and otp', async (path) => {
    const token = await service.otpTokenOf(`manager${path.replaceAll('/', '-')}`, ['ROLE_OTHER', 'ROLE_MANAGEMENT']);

    expect(await get(path, bearer(token))).toBeAnswered(200);
  });

  it('rejects an access token without ROLE_MANAGEMENT with 403 and logs a warning', async () => {
    const token = await service.tokenOf('user', ['ROLE_ADMINS', 'ROLE_MANAGEMENTS']);

    for (const path of CLOSED) expect(await get(path, bearer(token)), path).toBeRefused(403, 'ACCESS_DENIED');
    expect(service.log.filter(({ logger }) => logger === 'management').at(-1)).toMatchObject({
      level: 'WARN',
      message: 'A caller without ROLE_MANAGEMENT is rejected',
    });
  });

  it.each(FORGED)('M1, M2: a request with %s is unauthenticated', async (_, headers) => {
    for (const path of CLOSED) expect(await get(path, headers), path).toBeRefused(401, 'INVALID_TOKEN');
    for (const path of HEALTH) {
      const answer = await get(path, headers);
      expect(answer, path).toBeAnswered(200);
      expect(answer.body, path).not.toHaveProperty('caller');
    }
  });

  it('an invalid access token adds error="invalid_token" to the Bearer challenge', async () => {
    const { headers } = await get('/env', bearer('x.y.z'));

    expect(headers.get('www-authenticate')).toBe(`Bearer error="invalid_token", ${CHALLENGES[1] ?? ''}`);
  });

  it('health recognizes an authenticated caller although it allows anonymous requests', async () => {
    const token = await service.tokenOf('reader', []);

    const [stranger, operator, reader] = [
      await get('/health'),
      await get('/health', OPERATOR),
      await get('/health', bearer(token)),
    ];

    expect(stranger.body).not.toHaveProperty('caller');
    expect(operator.body['caller']).toBe('operator');
    expect(reader.body['caller']).toMatch(/^[\da-f-]{36}$/);
  });

  it('L3: a wrong password is logged with the address and the known user name, never with the given credentials', async () => {
    await get('/env', basic('operator', 'hunter2'));
    await get('/env', basic('hunter2', 'x'));

    const lines = service.log.filter(({ message }) => message === 'Wrong credentials of a management caller');

    expect(lines.slice(-2)).toMatchObject([
      { level: 'WARN', logger: 'management', fields: { user: 'operator', ip: '127.0.0.1' } },
      { level: 'WARN', logger: 'management', fields: { ip: '127.0.0.1' } },
    ]);
    expect(JSON.stringify(service.log)).not.toContain('hunter2');
  });
});

describe('the Basic account', () => {
  let service: ManagementService | undefined;

  afterEach(async () => {
    await service?.stop();
    service = undefined;
  });

  async function statusesOf(answers: number, headers: Fields, url: string, path = '/env'): Promise<readonly number[]> {
    const statuses: number[] = [];
    for (let count = 0; count < answers; count += 1) {
      statuses.push((await new HttpClient(url).get(path, { headers })).status);
    }
    return statuses;
  }

  it('P3: the Basic account is rate-limited after ten wrong passwords while health stays available', async () => {
    service = await startManagement(new SampleEndpoints().all);
    const { managementUrl } = service;

    const guesses = await statusesOf(12, WRONG, managementUrl);
    const right = await new HttpClient(managementUrl).get('/env', { headers: OPERATOR });

    expect(guesses.slice(0, 10)).toEqual(Array(10).fill(401));
    expect(guesses.slice(10)).toEqual([429, 429]);
    expect(right).toBeRefused(429, 'RATE_LIMITED');
    expect(right.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await statusesOf(3, WRONG, managementUrl, '/health')).toEqual([200, 200, 200]);
  });

  it('H3: wrong passwords for all Unicode forms of the user name share one rate limit', async () => {
    service = await startManagement(new SampleEndpoints().all, [
      '--management.security.user=bétty',
      '--management.security.password=operator: secret',
    ]);
    const statuses: number[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      for (const name of ['bétty', 'be\u0301tty']) {
        statuses.push(...(await statusesOf(1, basic(name, 'wrong'), service.managementUrl)));
      }
    }

    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429]);
  });

  it('correct passwords of the Basic account are never rate-limited', async () => {
    service = await startManagement(new SampleEndpoints().all, ['--app.security.rate-limit.login-id-failures=1']);

    expect(await statusesOf(40, OPERATOR, service.managementUrl)).toEqual(Array(40).fill(200));
  });

  it('Basic credentials are UTF-8, the user name matches in every Unicode form, and percent signs are literal', async () => {
    service = await startManagement(new SampleEndpoints().all, [
      '--management.security.user=bétty',
      '--management.security.password=100%+비밀:%41',
    ]);
    const { managementUrl } = service;
    const ask = (name: string, password: string): Promise<readonly number[]> =>
      statusesOf(1, basic(name, password), managementUrl);

    expect(await ask('bétty', '100%+비밀:%41')).toEqual([200]);
    expect(await ask('be\u0301tty', '100%+비밀:%41')).toEqual([200]);
    expect(await ask('bétty', '100%+비밀:A')).toEqual([401]);
  });

  it('management.security.enabled=false on a separate port accepts anonymous requests, but no cross-site writes', async () => {
    service = await startManagement(new SampleEndpoints().all, [
      '--management.security.enabled=false',
      '--management.server.port=0',
      '--management.endpoint.shutdown.access=unrestricted',
    ]);
    const client = new HttpClient(service.managementUrl);

    for (const path of CLOSED) expect(await client.get(path), path).toBeAnswered(200);
    expect(await client.post('/shutdown')).toBeAnswered(200);
    expect(await client.post('/shutdown', {}, { headers: { 'sec-fetch-site': 'cross-site' } })).toBeRefused(
      403,
      'CROSS_SITE',
    );
    expect((await client.get('/env', { headers: OPERATOR })).body['caller']).toBe('operator');
  });
});

describe('additional health probe paths', () => {
  const KEYS = [
    '--management.endpoint.health.probes.enabled=true',
    '--management.endpoint.health.probes.add-additional-paths=true',
    '--management.server.port=0',
  ];

  it('/livez ignores credentials and negotiates media types like health', async () => {
    const service = await startManaged({ args: KEYS });
    const ask = (headers: Fields): Promise<Answer> => new HttpClient(service.url).get('/livez', { headers });

    const plain = await ask({});

    expect(plain).toBeAnswered(200);
    expect(plain.headers.get('content-type')).toBe(JSON_V3);
    expect(plain.text).toBe('{"status":"UP"}');
    for (const headers of [WRONG, bearer('x'), OPERATOR_HEADERS]) expect((await ask(headers)).text).toBe(plain.text);
    expect(await ask({ accept: 'text/html' })).toBeRefused(406, 'NOT_ACCEPTABLE');
    await service.release();
  });

  it('/livez returns 404 when access to health is none', async () => {
    const service = await startManaged({ args: [...KEYS, '--management.endpoint.health.access=none'] });

    expect(await new HttpClient(service.url).get('/livez')).toBeRefused(404, 'NOT_FOUND');
    await service.release();
  });
});

onSqlite('management authentication of the built service', (engine) => {
  const story = storyOn(engine, { people: 4, others: { manager: 'ROLE_MANAGEMENT' } });

  const get = (headers: Fields): Promise<Answer> => story.client().get('/actuator', { headers });

  it('accepts only the access token of a complete sign-in: no mfa_token, no session cookie, no token after logout', async () => {
    const manager = { id: 'manager', password: PASSWORD };
    const browser = story.client();
    const half = await story.mfaToken(manager);
    await browser.post('/session', { id: manager.id, pw: manager.password });
    const halfSession = `SESSION=${browser.cookie('SESSION') ?? ''}`;
    const setup = await browser.post('/2fa/setup', {}, { bearer: half });
    const app = AuthenticatorApp.scan(textOf(setup, 'otpauth_uri'));
    const confirmed = await browser.post('/2fa/confirm', { code: story.codeOf(app) }, { bearer: half });
    const token = textOf(confirmed, 'access_token');
    await browser.post('/session', { id: manager.id, pw: manager.password });
    await browser.post('/2fa/verify', { code: story.nextCode({ app }) });
    const session = `SESSION=${browser.cookie('SESSION') ?? ''}`;
    expect(await story.client().get('/me', { headers: { cookie: session } })).toBeAnswered(200);

    expect(await get(bearer(token))).toBeAnswered(200);
    const health = async (headers: Fields): Promise<readonly string[]> =>
      Object.keys((await story.client().get('/actuator/health', { headers })).body);
    expect(await health(bearer(token))).toContain('components');
    for (const headers of [bearer(half), { cookie: halfSession }, { cookie: session }]) {
      expect(await get(headers)).toBeRefused(401, 'INVALID_TOKEN');
      expect(await health(headers)).not.toContain('components');
    }
    await story.client().post('/logout', {}, { bearer: token });
    expect(await get(bearer(token))).toBeRefused(401, 'INVALID_TOKEN');
  });

  it('M1: endpoints that are not exposed return 404 with and without an access token', async () => {
    const { accessToken } = await story.signInByPassword(story.person());
    const others = ENDPOINT_IDS.filter((id) => !['health', 'info', 'metrics', 'loggers'].includes(id));
    expect(others).toHaveLength(11);
    for (const id of [...others, 'env/a', 'caches/a', 'ENV', 'beans', 'conditions', 'sessions', 'gateway']) {
      for (const headers of [{}, bearer(accessToken)]) {
        const client = story.client();
        expect(await client.get(`/actuator/${id}`, { headers }), id).toBeRefused(404, 'NOT_FOUND');
        expect(await client.post(`/actuator/${id}`, {}, { headers }), id).toBeRefused(404, 'NOT_FOUND');
      }
    }
  });
});
