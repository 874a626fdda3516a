import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Answer } from '../support/http/http-client.js';
import { JSON_V3, type ManagedService, OPERATOR_HEADERS, startManaged } from '../support/management/management.js';
import { MovedClock } from '../support/programs/moved-clock.js';
import { waitUntil } from '../support/runner/wait-until.js';
import '../support/runner/matchers.js';

const clock = new MovedClock();
let service: ManagedService;

beforeAll(async () => {
  const args = ['--logging.level.root=WARN', '--logging.level.auth.mfa=debug', '--logging.level.start=INFO'];
  const groups = ['--logging.group.login=auth,mfa', '--logging.level.web=INFO', '--logging.group.events=mfa'];
  service = await startManaged({ args: [...args, ...groups], nodeArguments: clock.nodeArguments });
});
afterAll(async () => {
  await service.stop();
});
afterEach(async () => {
  for (const name of ['ROOT', 'auth', 'http', 'sql']) await reset(name);
});

function change(name: string, body: object): Promise<Answer> {
  return service.operator.post(`/loggers/${name}`, body);
}

function reset(name: string): Promise<Answer> {
  return change(name, {});
}

async function read(name: string): Promise<unknown> {
  return (await service.operator.get(`/loggers/${name}`)).body;
}

function raw(path: string, headers: Readonly<Record<string, string>>, body?: string): Promise<Response> {
  const init = { method: 'POST', headers: { ...OPERATOR_HEADERS, ...headers }, ...(body !== undefined && { body }) };
  return fetch(`${service.url}/actuator${path}`, init);
}

describe('9.1: GET /actuator/loggers', () => {
  it('lists levels, groups, and all loggers with ROOT first', async () => {
    const { status, headers, body } = await service.operator.get('/loggers');

    expect([status, headers.get('content-type')]).toEqual([200, JSON_V3]);
    expect(body['levels']).toEqual(['OFF', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE']);
    const loggers = body['loggers'] as Record<string, unknown>;
    expect(Object.keys(loggers)[0]).toBe('ROOT');
    expect(Object.keys(loggers).slice(1)).toEqual(Object.keys(loggers).slice(1).toSorted());
    expect(loggers).toMatchObject({
      ROOT: { configuredLevel: 'WARN', effectiveLevel: 'WARN' },
      'auth.mfa': { configuredLevel: 'DEBUG', effectiveLevel: 'DEBUG' },
      http: { configuredLevel: 'INFO', effectiveLevel: 'INFO' },
    });
    expect(loggers['server']).toEqual({ effectiveLevel: 'WARN' });
    expect(body['groups']).toEqual({
      events: { members: ['mfa'] },
      login: { members: ['auth', 'mfa'] },
      sql: { members: ['orm.sql', 'mapper'] },
      web: { configuredLevel: 'INFO', members: ['http'] },
    });
  });
});

describe('9.2: GET /actuator/loggers/{name}', () => {
  it.each([
    ['auth.mfa', { configuredLevel: 'DEBUG', effectiveLevel: 'DEBUG' }],
    ['auth', { effectiveLevel: 'WARN' }],
    ['ROOT', { configuredLevel: 'WARN', effectiveLevel: 'WARN' }],
    ['web', { configuredLevel: 'INFO', members: ['http'] }],
    // A logger has the same name.
    ['events', { members: ['mfa'] }],
  ])('shows the level of the logger or group %s', async (name, expected) => {
    expect(await read(name)).toEqual(expected);
  });

  it.each(['nobody', 'auth.nobody', '__proto__', 'constructor', 'a%2Fb'])(
    'M4: returns 404 for the unknown logger %s and does not create it',
    async (name) => {
      const { status, text } = await service.operator.get(`/loggers/${name}`);
      const { body } = await service.operator.get('/loggers');

      expect({ status, text }).toEqual({ status: 404, text: '' });
      expect(Object.keys(body['loggers'] as object)).not.toContain(decodeURIComponent(name));
    },
  );
});

describe('9.3: POST /actuator/loggers/{name}', () => {
  it('sets the level of a logger, keeps the level of its child, and returns an empty 204', async () => {
    const { status, text } = await change('auth', { configuredLevel: 'trace' });

    expect({ status, text }).toEqual({ status: 204, text: '' });
    expect(await read('auth')).toEqual({ configuredLevel: 'TRACE', effectiveLevel: 'TRACE' });
    expect(await read('auth.mfa')).toEqual({ configuredLevel: 'DEBUG', effectiveLevel: 'DEBUG' });
  });

  it.each([
    ['an empty object', {}],
    ['a null level', { configuredLevel: null }],
    ['M3: an empty level', { configuredLevel: '' }],
    ['M3: an unknown member alone', { level: 'DEBUG' }],
  ])('%s resets the level', async (_, body) => {
    await change('auth', { configuredLevel: 'DEBUG' });

    expect(await change('auth', body)).toBeAnswered(204);

    expect(await read('auth')).toEqual({ effectiveLevel: 'WARN' });
  });

  it('an empty body resets the level with a JSON content type, and gets 415 without one', async () => {
    await change('auth', { configuredLevel: 'DEBUG' });

    expect((await raw('/loggers/auth', {})).status).toBe(415);
    expect((await raw('/loggers/auth', { 'content-type': 'application/json' })).status).toBe(204);

    expect(await read('auth')).toEqual({ effectiveLevel: 'WARN' });
  });

  it('a reset of ROOT restores its configured level', async () => {
    await change('ROOT', { configuredLevel: 'ERROR' });
    await reset('ROOT');

    expect(await read('ROOT')).toEqual({ configuredLevel: 'WARN', effectiveLevel: 'WARN' });
  });

  it('treats FATAL as ERROR', async () => {
    await change('auth', { configuredLevel: 'FATAL' });

    expect(await read('auth')).toMatchObject({ configuredLevel: 'ERROR' });
  });

  it('sets the level of a group and of each of its members', async () => {
    await change('sql', { configuredLevel: 'DEBUG' });

    expect([await read('sql'), await read('orm.sql'), await read('mapper')]).toEqual([
      { configuredLevel: 'DEBUG', members: ['orm.sql', 'mapper'] },
      { configuredLevel: 'DEBUG', effectiveLevel: 'DEBUG' },
      { configuredLevel: 'DEBUG', effectiveLevel: 'DEBUG' },
    ]);
  });

  it('creates a logger that is not used yet, also with a slash in its name', async () => {
    expect(await change('some%2Fday', { configuredLevel: 'DEBUG' })).toBeAnswered(204);

    expect(await read('some%2Fday')).toEqual({ configuredLevel: 'DEBUG', effectiveLevel: 'DEBUG' });
    await reset('some%2Fday');
  });

  it.each([
    ['an unknown level', 'auth', { configuredLevel: 'LOUD' }],
    ['the word false, which means OFF in YAML', 'auth', { configuredLevel: 'false' }],
    ['a level that is a number', 'auth', { configuredLevel: 1 }],
    ['a level in a list', 'auth', { configuredLevel: ['DEBUG'] }],
    ['a level in an object', 'auth', { configuredLevel: { level: 'DEBUG' } }],
    ['an invalid duration', 'auth', { configuredLevel: 'DEBUG', duration: 'soon' }],
    ['a duration above a day', 'auth', { configuredLevel: 'DEBUG', duration: 'PT24H1M' }],
    ['an invalid name', 'a%20b', { configuredLevel: 'DEBUG' }],
    ['a name that is too long', 'x'.repeat(201), { configuredLevel: 'DEBUG' }],
    ['the name __proto__', '__proto__', { configuredLevel: 'DEBUG' }],
  ])('M4: rejects %s and changes nothing', async (_, name, body) => {
    const before = (await service.operator.get('/loggers')).text;

    expect(await change(name, body)).toBeRefused(400, 'VALIDATION_FAILED');

    expect((await service.operator.get('/loggers')).text).toBe(before);
  });

  it('returns 204 whatever Accept says', async () => {
    const accepting = { 'content-type': 'application/json', accept: 'text/html' };

    expect((await raw('/loggers/auth', accepting, '{"configuredLevel":"DEBUG"}')).status).toBe(204);
    expect(await read('auth')).toMatchObject({ configuredLevel: 'DEBUG' });
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'M4: rejects the content type %s',
    async (type) => {
      const { status } = await raw('/loggers/auth', { 'content-type': type }, '{"configuredLevel":"DEBUG"}');

      expect(status).toBe(415);
      expect(await read('auth')).toEqual({ effectiveLevel: 'WARN' });
    },
  );

  it('logs a level change at WARN with the caller, the logger, the old and the new level', async () => {
    await change('auth', { configuredLevel: 'DEBUG', duration: '15m' });

    const warning = await waitUntil('the change is logged', () =>
      service.troubles.find((line) => line.includes('logger auth') && line.includes('for 15m')),
    );

    expect(warning).toBe('WARN The level of logger auth changes from WARN (inherited) to DEBUG, by operator for 15m');
  });

  it('logs the inherited level when a reset removes the level of the logger', async () => {
    await change('auth', { configuredLevel: 'ERROR' });
    await reset('auth');

    const warning = await waitUntil('the change is logged', () =>
      service.troubles.find((line) => line.includes('logger auth changes from ERROR')),
    );

    expect(warning).toBe('WARN The level of logger auth changes from ERROR to WARN (inherited), by operator');
  });

  it('a change of one member leaves its group and the other members unchanged', async () => {
    await change('sql', { configuredLevel: 'DEBUG' });
    await change('mapper', { configuredLevel: 'ERROR' });

    expect([await read('sql'), await read('orm.sql'), await read('mapper')]).toEqual([
      { configuredLevel: 'DEBUG', members: ['orm.sql', 'mapper'] },
      { configuredLevel: 'DEBUG', effectiveLevel: 'DEBUG' },
      { configuredLevel: 'ERROR', effectiveLevel: 'ERROR' },
    ]);
    await reset('sql');
    expect([await read('sql'), await read('mapper')]).toEqual([
      { members: ['orm.sql', 'mapper'] },
      { effectiveLevel: 'WARN' },
    ]);
  });

  it('a level with a duration reverts when it expires', async () => {
    await change('auth', { configuredLevel: 'DEBUG', duration: 'PT15M' });
    const meanwhile = await read('auth');
    clock.advance(15 * 60);

    await waitUntil('the level has been reset', async () =>
      (await service.operator.get('/loggers/auth')).text.includes('WARN'),
    );

    expect(meanwhile).toEqual({ configuredLevel: 'DEBUG', effectiveLevel: 'DEBUG' });
    expect(await read('auth')).toEqual({ effectiveLevel: 'WARN' });
  });

  it('a group level with a duration reverts the group and its members', async () => {
    await change('mapper', { configuredLevel: 'ERROR' });
    await change('sql', { configuredLevel: 'TRACE', duration: '5m' });
    const meanwhile = [await read('sql'), await read('mapper')];
    clock.advance(5 * 60);

    await waitUntil('the level has been reset', async () =>
      (await service.operator.get('/loggers/mapper')).text.includes('ERROR'),
    );

    expect(meanwhile).toEqual([
      { configuredLevel: 'TRACE', members: ['orm.sql', 'mapper'] },
      { configuredLevel: 'TRACE', effectiveLevel: 'TRACE' },
    ]);
    expect([await read('sql'), await read('orm.sql')]).toEqual([
      { members: ['orm.sql', 'mapper'] },
      { effectiveLevel: 'WARN' },
    ]);
  });

  it('a level change does not survive a restart', async () => {
    const first = await startManaged();
    await first.operator.post('/loggers/prepared', { configuredLevel: 'TRACE' });
    await first.stop();

    const again = await startManaged({ cwd: first.cwd });
    const { status } = await again.operator.get('/loggers/prepared');
    await again.stop();

    expect(status).toBe(404);
  });

  it('M5: creates at most a thousand loggers, and still changes existing ones', async () => {
    const statuses = [];
    for (let at = 0; at < 1010; at += 1) statuses.push((await change(`made.${at}`, { configuredLevel: 'OFF' })).status);

    expect(statuses.filter((status) => status === 204).length).toBeLessThanOrEqual(1000);
    expect(statuses.slice(-10)).toEqual(Array.from({ length: 10 }, () => 400));
    expect(await change('auth', { configuredLevel: 'DEBUG' })).toBeAnswered(204);
    const { body } = await service.operator.get('/loggers');
    expect(Object.keys(body['loggers'] as object).length).toBeLessThan(1100);
  }, 60_000);
});
