import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeConsole } from '../../../test/support/fake-console.js';
import { freePort } from '../../../test/support/free-port.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { waitUntil } from '../../../test/support/wait-until.js';
import type { LogLine } from '../../logging/log-line.js';
import { Loggers } from '../../logging/loggers.js';
import { ScheduledTasks } from '../../tasks/scheduled-tasks.js';
import { ConsoleClient, type ConsoleCredentials } from './console.client.js';
import { ConsoleRegistration } from './registration.task.js';

const INSTANCE = {
  name: 'login-service',
  managementUrl: 'http://10.0.0.7:9090/actuator',
  healthUrl: 'http://10.0.0.7:9090/actuator/health',
  metadata: { startup: '2031-05-04T10:00:00.000Z' },
};
const PERIOD_MILLIS = 20;

describe('the registration with a console', () => {
  const lines: LogLine[] = [];
  let console: FakeConsole;
  let registration: ConsoleRegistration | undefined;

  beforeEach(async () => {
    lines.length = 0;
    console = await FakeConsole.start();
  });
  afterEach(async () => {
    await registration?.stop();
    registration = undefined;
    await console.stop();
  });

  const begun = (
    urls: readonly string[],
    credentials?: ConsoleCredentials,
    limitMillis?: number,
  ): ConsoleRegistration => {
    registration = new ConsoleRegistration({
      clients: urls.map((url) => new ConsoleClient(url, credentials, limitMillis)),
      instance: INSTANCE,
      periodMillis: PERIOD_MILLIS,
      task: new ScheduledTasks(new ManualClock()).add('ConsoleRegistration.register', { kind: 'custom', trigger: '' }),
      logger: new Loggers([{ append: (line) => lines.push(line) }]).get('management.console'),
    });
    registration.start();
    return registration;
  };
  const called = (times: number): Promise<true> =>
    waitUntil(`the console was called ${times} times`, () => console.calls.length >= times);
  const told = (): readonly string[] => lines.map(({ level, message }) => `${level} ${message}`);
  const toldOf = (words: string): Promise<true> =>
    waitUntil(`the log says ${words}`, () => told().some((line) => line.includes(words)));

  it('sends what the console needs, as JSON', async () => {
    begun([console.url]);
    await called(1);

    expect(console.calls[0]).toMatchObject({
      method: 'POST',
      path: '/instances',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: INSTANCE,
    });
    expect(console.calls[0]?.headers).not.toHaveProperty('authorization');
  });

  it('is repeated as a sign of life, and told once', async () => {
    begun([console.url]);
    await called(3);

    expect(told()).toEqual([`INFO Registered with the console at ${console.url}`]);
  });

  it('signs in where the console asks for it', async () => {
    begun([console.url], { username: 'login', password: 'pässword' });
    await called(1);

    const authorization = `Basic ${Buffer.from('login:pässword').toString('base64')}`;
    expect(console.calls[0]?.headers).toMatchObject({ authorization });
  });

  it('is taken back at the end, by the id that the console gave', async () => {
    const begunOne = begun([console.url]);
    await toldOf('Registered');
    await begunOne.stop();
    const last = console.calls.at(-1);

    expect(last).toMatchObject({ method: 'DELETE', path: '/instances/instance%2F1', body: undefined });
  });

  it('goes on with a console that has forgotten it, and is taken back by the id that counts now', async () => {
    const begunOne = begun([console.url]);
    await called(2);
    console.id = 'another';
    const before = console.calls.length;
    await called(before + 2);
    await begunOne.stop();

    expect(console.calls.at(-1)).toMatchObject({ method: 'DELETE', path: '/instances/another' });
    expect(told()).toHaveLength(1);
  });

  it.each([
    [404, 'answered 404'],
    [500, 'answered 500'],
    ['page', 'did not answer with an id'],
    ['silent', 'cannot be reached: no answer within 0.5 s'],
  ] as const)('survives a console that says %s in the meantime', async (refuses, reason) => {
    begun([console.url], undefined, refuses === 'silent' ? 500 : undefined);
    await toldOf('Registered');
    console.refuses = refuses;
    const before = console.calls.length;
    await called(before + 3);
    console.refuses = undefined;
    await waitUntil('it is registered again', () => told().length === 3);

    const registered = `INFO Registered with the console at ${console.url}`;
    const tells = `WARN Not registered with the console, which is tried again and again: ${console.url} ${reason}`;
    expect(told()).toEqual([registered, tells, registered]);
  });

  it('warns once of a console that is away, tries on, and says when it is back', async () => {
    const port = await freePort();
    begun([`http://127.0.0.1:${port}`]);
    await toldOf('Not registered');
    const back = await FakeConsole.start(port);
    await toldOf('Registered');
    await back.stop();

    expect(told().slice(0, 2)).toEqual([
      expect.stringMatching(/^WARN Not registered .*: http:\/\/127\.0\.0\.1:\d+ cannot be reached: ECONNREFUSED$/),
      `INFO Registered with the console at http://127.0.0.1:${port}`,
    ]);
  });

  it('L1: says what the console answered, without the credentials', async () => {
    console.refuses = 401;
    begun([console.url], { username: 'login', password: 'open-sesame' });
    await called(3);

    expect(told()).toEqual([expect.stringMatching(/^WARN .*answered 401$/)]);
    expect(JSON.stringify(lines)).not.toContain('open-sesame');
  });

  it('follows no redirect with its credentials', async () => {
    console.refuses = 307;
    begun([console.url], { username: 'login', password: 'open-sesame' });
    await called(2);

    expect(new Set(console.calls.map(({ path }) => path))).toEqual(new Set(['/instances']));
    expect(told()).toEqual([expect.stringMatching(/answered 307$/)]);
  });

  it('takes the first console of several that answers', async () => {
    begun([`http://127.0.0.1:${await freePort()}`, console.url]);
    await called(2);

    expect(told()).toEqual([`INFO Registered with the console at ${console.url}`]);
  });

  it('does not hold up the end where the console says nothing', async () => {
    console.refuses = 'silent';
    const begunOne = begun([console.url]);
    await called(1);
    await begunOne.stop();

    expect(console.calls).toHaveLength(1);
  });
});
