import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACR_MFA } from '../../src/kernel/principal/amr.js';
import type { Endpoint } from '../../src/management/dispatch/operation.js';
import { type Answer, basic, HttpClient, textOf } from '../support/http/http-client.js';
import { PASSWORD, refresh, storyOn } from '../support/login/login-story.js';
import { type ManagementService, OPERATOR, startManagement } from '../support/management/management-service.js';
import { OPERATOR as ACCOUNT } from '../support/management/management.js';
import { SampleEndpoints } from '../support/management/sample-endpoints.js';
import { onSqlite } from '../support/database/story-database.js';
import '../support/runner/matchers.js';

type Call = readonly [method: 'GET' | 'HEAD' | 'POST' | 'DELETE', path: string];
type Fields = Readonly<Record<string, string>>;

const JSON_BODY = { 'content-type': 'application/json' };
const CHALLENGE =
  'Bearer error="insufficient_user_authentication", error_description="A second factor is required", ' +
  `acr_values="${ACR_MFA}"`;
const BASIC_CHALLENGE = 'Basic realm="management", charset="UTF-8"';

function bearer(token: string): Fields {
  return { authorization: `Bearer ${token}` };
}

function call(client: HttpClient, [method, path]: Call, headers: Fields): Promise<Answer> {
  return client.send(method, path, { headers: { ...headers, ...(method === 'POST' && JSON_BODY) } });
}

onSqlite('A2: management step-up when policy requires no second factor of managers', (engine) => {
  const account = [`--management.security.user=${ACCOUNT.user}`, `--management.security.password=${ACCOUNT.password}`];
  const story = storyOn(engine, {
    others: { manager: 'ROLE_MANAGEMENT', enrolled: 'ROLE_MANAGEMENT', reader: 'ROLE_READER' },
    args: [
      ...account,
      '--app.security.mfa.required-roles=ROLE_ADMIN',
      '--management.endpoints.web.exposure.include=*',
      ...['shutdown', 'heapdump'].map((id) => `--management.endpoint.${id}.access=unrestricted`),
      ...['--logging.file.name=login.log', '--management.endpoint.env.cache.time-to-live=1h'],
    ],
  });

  const SENSITIVE: readonly Call[] = [
    ['GET', '/env'],
    ['HEAD', '/env'],
    ['GET', '/env/'],
    ['GET', '/env?pattern=server'],
    ['GET', '/env/server.port'],
    ['GET', '/configprops'],
    ['HEAD', '/configprops'],
    ['GET', '/configprops/server'],
    ['GET', '/logfile'],
    ['GET', '/heapdump'],
    ['POST', '/loggers/auth'],
    ['DELETE', '/caches'],
    ['DELETE', '/caches/users'],
    ['POST', '/shutdown'],
  ];
  /** Leaves out the heap dump, which is slow, a cache that does not exist, and the shutdown of the service. */
  const CALLABLE = SENSITIVE.filter(([, path]) => !['/heapdump', '/caches/users', '/shutdown'].includes(path));
  const OTHERS: readonly Call[] = [
    ['GET', ''],
    ...['health', 'info', 'metrics', 'loggers', 'scheduledtasks', 'caches', 'mappings', 'threaddump', 'prometheus'].map(
      (id): Call => ['GET', `/${id}`],
    ),
  ];

  const client = (): HttpClient => new HttpClient(`${story.service.url}/actuator`);
  const byPassword = async (id: string): Promise<Fields> =>
    bearer((await story.signInByPassword({ id, password: PASSWORD })).accessToken);

  it('writes and reads that show secrets require a second factor from a manager who signed in by password alone', async () => {
    const headers = await byPassword('manager');

    for (const each of SENSITIVE) {
      const answer = await call(client(), each, headers);
      expect([answer.status, answer.body['code']], each.join(' ')).toEqual([
        401,
        each[0] === 'HEAD' ? undefined : 'STEP_UP_REQUIRED',
      ]);
      expect(answer.headers.get('www-authenticate'), each.join(' ')).toBe(`${CHALLENGE}, ${BASIC_CHALLENGE}`);
    }
    expect((await client().get('/loggers/auth', { headers })).body).not.toHaveProperty('configuredLevel');
  });

  it('a manager who signed in by password alone may use the other reads and OPTIONS', async () => {
    const headers = await byPassword('manager');

    for (const each of OTHERS) expect(await call(client(), each, headers), each.join(' ')).toBeAnswered(200);
    for (const [, path] of SENSITIVE) {
      expect(await client().send('OPTIONS', path, { headers }), path).toBeAnswered(204);
    }
  });

  it('a missing role is reported before a missing second factor', async () => {
    const headers = await byPassword('reader');

    for (const each of SENSITIVE.filter(([method]) => method !== 'HEAD')) {
      expect(await call(client(), each, headers), each.join(' ')).toBeRefused(403, 'ACCESS_DENIED');
    }
  });

  it('serves a manager with otp and the Basic account, and does not share their cached response with a weaker token', async () => {
    const weak = await byPassword('enrolled');
    const { accessToken } = await story.enrolled({ id: 'enrolled', password: PASSWORD });

    for (const headers of [bearer(accessToken), basic(ACCOUNT.user, ACCOUNT.password)]) {
      for (const each of CALLABLE) {
        const { status } = await call(client(), each, headers);
        expect(status, each.join(' ')).toBe(['POST', 'DELETE'].includes(each[0]) ? 204 : 200);
      }
    }
    // The same subject with the same roles, after the response was cached.
    const refused = await client().get('/env', { headers: weak });
    expect(refused).toBeRefused(401, 'STEP_UP_REQUIRED');
    expect(refused.body['required']).toBe('mfa');
  });

  it.each(['hwk', 'swk'])('serves a manager whose second factor is a passkey (%s)', async (method) => {
    const { client: browser } = await story.signInByPassword({ id: 'manager', password: PASSWORD });
    const set = "UPDATE session SET amr = ?, mfa_at = ?, mfa_method = 'passkey' WHERE user_id = ?";
    const subject = await story.subjectOf({ id: 'manager' });
    await story.database.query(set, [`pwd ${method}`, story.clock.seconds, subject]);
    const headers = bearer(textOf(await refresh(browser), 'access_token'));

    for (const each of CALLABLE) {
      const { status } = await call(client(), each, headers);
      expect(status, each.join(' ')).toBe(['POST', 'DELETE'].includes(each[0]) ? 204 : 200);
    }
  });
});

describe('A2: an endpoint without a step-up setting', () => {
  const samples = new SampleEndpoints();
  const [health] = samples.all;
  const write = { method: 'POST', pathTemplate: '', hasNoParameters: true, run: () => ({}) } as const;
  const endpoints: readonly Endpoint[] = [
    // An endpoint with anonymous reads and one write.
    ...(health ? [{ ...health, operations: [...health.operations, { ...write, isAnonymous: true }] }] : []),
    ...samples.all.filter(({ id }) => id !== 'health' && id !== 'info'),
    { id: 'info', operations: [write, { ...write, method: 'DELETE' }] },
  ];
  const WRITES: readonly Call[] = [
    ['POST', '/info'],
    ['DELETE', '/info'],
    ['POST', '/health'],
  ];
  const service: { at?: ManagementService } = {};

  beforeAll(async () => {
    service.at = await startManagement(endpoints, ['--app.security.rate-limit.enabled=false']);
  });

  afterAll(() => service.at?.stop());

  it('every write requires a second factor by default', async () => {
    const client = new HttpClient(service.at?.managementUrl ?? '');
    const weak = bearer((await service.at?.tokenOf('weak', ['ROLE_MANAGEMENT'])) ?? '');
    const strong = bearer((await service.at?.otpTokenOf('strong', ['ROLE_MANAGEMENT'])) ?? '');

    for (const each of WRITES) {
      expect(await call(client, each, {}), each.join(' ')).toBeRefused(401, 'INVALID_TOKEN');
      expect(await call(client, each, weak), each.join(' ')).toBeRefused(401, 'STEP_UP_REQUIRED');
      expect(await call(client, each, strong), each.join(' ')).toBeAnswered(204);
      expect(await call(client, each, OPERATOR), each.join(' ')).toBeAnswered(204);
    }
    expect(service.at?.log.filter(({ message }) => message.includes('second factor')).at(-1)).toMatchObject({
      level: 'WARN',
      logger: 'management',
      message: 'A management caller without the required second factor is rejected',
    });
  });
});

describe('A2: management without authentication on a separate port', () => {
  it('management.security.enabled=false requires a second factor from no caller', async () => {
    const service = await startManagement(new SampleEndpoints().all, [
      '--management.security.enabled=false',
      '--management.server.port=0',
    ]);
    const client = new HttpClient(service.managementUrl);
    const weak = bearer(await service.tokenOf('weak', []));

    for (const headers of [{}, weak]) {
      expect(await call(client, ['GET', '/env'], headers)).toBeAnswered(200);
      expect(await call(client, ['POST', '/loggers/auth'], headers)).toBeAnswered(204);
    }
    await service.stop();
  });
});
