import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeConsole } from '../support/management/fake-console.js';
import { outboundHttp } from '../support/http/outbound.js';
import { freePort } from '../support/programs/free-port.js';
import { ManualClock } from '../support/programs/manual-clock.js';
import { waitUntil } from '../support/runner/wait-until.js';
import type { LogLine } from '../../src/observability/logging/log-line.js';
import { Loggers } from '../../src/observability/logging/loggers.js';
import { ScheduledTasks } from '../../src/platform/tasks/scheduled-tasks.js';
import { ConsoleClient, type ConsoleCredentials } from '../../src/management/console/console.client.js';
import { ConsoleRegistration } from '../../src/management/console/registration.task.js';

const INSTANCE = {
  name: 'login-service',
  managementUrl: 'http://10.0.0.7:9090/actuator',
  healthUrl: 'http://10.0.0.7:9090/actuator/health',
  metadata: { startup: '2031-05-04T10:00:00.000Z' },
};
const PERIOD_MILLIS = 20;

describe('console registration', () => {
  const lines: LogLine[] = [];
  const http = outboundHttp();
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
    const loggers = new Loggers([{ append: (line) => lines.push(line) }]);
    const tasks = new ScheduledTasks(new ManualClock(), loggers);
    const clients = urls.map((url) => new ConsoleClient(http, url, credentials, limitMillis));
    const logger = loggers.get('management.console');
    registration = new ConsoleRegistration({ clients, instance: INSTANCE, periodMillis: PERIOD_MILLIS, logger }, tasks);
    tasks.start();
    return registration;
  };
  const called = (times: number): Promise<true> =>
    waitUntil(`the console was called ${times} times`, () => console.calls.length >= times);
  const logged = (): readonly string[] => lines.map(({ level, message }) => `${level} ${message}`);
  const loggedLine = (words: string): Promise<true> =>
    waitUntil(`the log says ${words}`, () => logged().some((line) => line.includes(words)));

  it('sends the instance as JSON, without credentials by default', async () => {
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

  it('repeats every period, but logs only the first registration', async () => {
    begun([console.url]);
    await called(3);

    expect(logged()).toEqual([`INFO Registered with the console at ${console.url}`]);
  });

  it('sends the configured credentials in UTF-8 as Basic authentication', async () => {
    begun([console.url], { username: 'login', password: 'pässword' });
    await called(1);

    const authorization = `Basic ${Buffer.from('login:pässword').toString('base64')}`;
    expect(console.calls[0]?.headers).toMatchObject({ authorization });
  });

  it('deregisters at shutdown by the id that the console assigned', async () => {
    const begunOne = begun([console.url]);
    await loggedLine('Registered');
    await begunOne.stop();
    const last = console.calls.at(-1);

    expect(last).toMatchObject({ method: 'DELETE', path: '/instances/instance%2F1', body: undefined });
  });

  it('deregisters by the latest id if the console assigns a new one', async () => {
    const begunOne = begun([console.url]);
    await called(2);
    console.id = 'another';
    const before = console.calls.length;
    await called(before + 2);
    await begunOne.stop();

    expect(console.calls.at(-1)).toMatchObject({ method: 'DELETE', path: '/instances/another' });
    expect(logged()).toHaveLength(1);
  });

  it.each([
    [404, 'responded with 404'],
    [500, 'responded with 500'],
    ['page', 'responded without an id'],
    ['silent', 'cannot be reached: no complete response within 3 s'],
  ] as const)('logs one warning if the console responds with %s, and logs the recovery', async (refuses, reason) => {
    begun([console.url], undefined, refuses === 'silent' ? 3000 : undefined);
    await loggedLine('Registered');
    console.refuses = refuses;
    const before = console.calls.length;
    await called(before + 3);
    console.refuses = undefined;
    await waitUntil('it is registered again', () => logged().length === 3);

    const registered = `INFO Registered with the console at ${console.url}`;
    const warned = `WARN Not registered with the console; the service keeps trying: ${console.url} ${reason}`;
    expect(logged()).toEqual([registered, warned, registered]);
  });

  it('logs one warning while the console is unreachable, keeps trying and logs the recovery', async () => {
    const port = await freePort();
    begun([`http://127.0.0.1:${port}`]);
    await loggedLine('Not registered');
    const back = await FakeConsole.start(port);
    await loggedLine('Registered');
    await back.stop();

    expect(logged().slice(0, 2)).toEqual([
      expect.stringMatching(/^WARN Not registered .*: http:\/\/127\.0\.0\.1:\d+ cannot be reached: ECONNREFUSED$/),
      `INFO Registered with the console at http://127.0.0.1:${port}`,
    ]);
  });

  it('L1: logs the status of the console without the credentials', async () => {
    console.refuses = 401;
    begun([console.url], { username: 'login', password: 'open-sesame' });
    await called(3);

    expect(logged()).toEqual([expect.stringMatching(/^WARN .*responded with 401$/)]);
    expect(JSON.stringify(lines)).not.toContain('open-sesame');
  });

  it('does not follow redirects, which would leak its credentials', async () => {
    console.refuses = 307;
    begun([console.url], { username: 'login', password: 'open-sesame' });
    await called(2);

    expect(new Set(console.calls.map(({ path }) => path))).toEqual(new Set(['/instances']));
    expect(logged()).toEqual([expect.stringMatching(/responded with 307$/)]);
  });

  it('registers with the first of several consoles that responds', async () => {
    begun([`http://127.0.0.1:${await freePort()}`, console.url]);
    await called(2);

    expect(logged()).toEqual([`INFO Registered with the console at ${console.url}`]);
  });

  it('does not delay shutdown if the console does not respond', async () => {
    console.refuses = 'silent';
    const begunOne = begun([console.url]);
    await called(1);
    await begunOne.stop();

    expect(console.calls).toHaveLength(1);
  });
});
