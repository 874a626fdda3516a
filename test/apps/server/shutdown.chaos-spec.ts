import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, HttpClient } from '../../support/http/http-client.js';
import { type Person, storyOn } from '../../support/login/login-story.js';
import { upTo } from '../../support/login/races.js';
import { RawConnection } from '../../support/http/raw-connection.js';
import { type RunningService, startService } from '../../support/programs/service.js';
import { onAnyEngine } from '../../support/database/story-database.js';
import { waitUntil } from '../../support/runner/wait-until.js';
import '../../support/runner/matchers.js';
import { roundsInTier } from '../../support/runner/tier.js';

const LOGINS = 40;
const ROUNDS = roundsInTier(2, { inFull: 5 });
/** Hashes of real cost, so that logins take time. */
const REAL_HASH = ['--app.security.password.hash.memory=19MB', '--app.security.password.hash.iterations=2'];
/** A limit that no test reaches. */
const PATIENT = '--app.lifecycle.timeout-per-shutdown-phase=120s';

function terminate({ pid }: RunningService): void {
  process.kill(pid, 'SIGTERM');
}

onAnyEngine('R1: logins during shutdown', (engine) => {
  const story = storyOn(engine, { people: LOGINS, args: [...REAL_HASH, PATIENT], isAlone: true });

  /** Signs in all users at once; resolves at the first response, while the other logins are in progress. */
  async function manyLogins(): Promise<{ readonly logins: Promise<readonly Answer[]>; readonly left: () => number }> {
    let answered = 0;
    const logins = Promise.all(
      people.map(async ({ id, password }) => {
        const answer = await story.client().post('/login', { id, pw: password });
        answered += 1;
        return answer;
      }),
    );
    await waitUntil('the first login has completed', () => answered > 0, { everyMillis: 1 });
    return { logins, left: () => LOGINS - answered };
  }

  let people: readonly Person[] = [];
  beforeAll(() => {
    people = upTo(LOGINS).map(() => story.person());
  });

  it(
    `R1: shutdown completes all ${LOGINS} logins in progress and closes idle connections, ${ROUNDS} times`,
    { timeout: 300_000 },
    async () => {
      let busyRounds = 0;
      for (const round of upTo(ROUNDS)) {
        const idle = await Promise.all(upTo(10).map(() => RawConnection.open(story.service.url)));
        for (const connection of idle) connection.get('/portal/login');
        for (const connection of idle) await connection.untilAnswered();
        const { logins, left } = await manyLogins();
        const leftAtStop = left();
        terminate(story.service);

        for (const answer of await logins) expect(answer).toBeAnswered(200);
        expect(await story.service.exit, `round ${round}`).toEqual({ code: 0, signal: null });
        for (const connection of idle) await connection.untilClosed();
        const stopping = story.service.log.find((line) => line.startsWith('INFO Stopping: '));
        expect(stopping).toMatch(/: \d+ requests? in progress, 2m at most$/);
        if (leftAtStop >= LOGINS / 2 && !stopping?.includes(': 0 ')) busyRounds += 1;
        expect(story.service.log.at(-1)).toBe('INFO Stopped');
        expect(story.service.stdout).not.toContain('Cut off');
        await story.restart();
      }
      // On a busy machine, this process may notice the first response late.
      expect(busyRounds).toBeGreaterThanOrEqual(ROUNDS / 2);
    },
  );

  it(
    'R1: shutdown completes logins in progress and cuts off a hung client at the limit',
    { timeout: 60_000 },
    async () => {
      await story.service.stop();
      await story.restart(['--app.lifecycle.timeout-per-shutdown-phase=10s']);
      const hanging = await hung(story.service);
      const { logins } = await manyLogins();
      terminate(story.service);

      for (const answer of await logins) expect(answer).toBeAnswered(200);
      expect(await story.service.exit).toEqual({ code: 0, signal: null });
      expect(story.service.troubles).toContain('WARN Cut off after 10s: 1 request');
      await hanging.untilClosed();
      expect(hanging.statuses).toEqual([]);
    },
  );
});

/** One request in progress, whose body lacks a byte. */
async function hung(service: RunningService): Promise<RawConnection> {
  const connection = await RawConnection.open(service.url);
  connection.send('POST /login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{');
  return connection;
}

describe('server.shutdown=graceful', { timeout: 60_000 }, () => {
  it('R1: shutdown does not wait for idle connections', async () => {
    const service = await startService({ isAlone: true, args: [PATIENT] });
    const idle = await Promise.all(upTo(10).map(() => RawConnection.open(service.url)));
    for (const connection of idle) connection.get('/portal/login');
    for (const connection of idle) await connection.untilAnswered();
    const unused = await Promise.all(upTo(10).map(() => RawConnection.open(service.url)));

    expect(await service.stop()).toBe(0);
    for (const connection of [...idle, ...unused]) await connection.untilClosed();
    expect(service.log.join()).not.toContain('Cut off');
  });

  it('R1: shutdown serves requests on connections that were opened just before', async () => {
    for (const round of upTo(5)) {
      const service = await startService({ isAlone: true, args: [PATIENT] });
      await waitUntil('the initial administrator is created', () => service.stdout.includes('First user'));
      const clients = await Promise.all(upTo(40).map(() => RawConnection.open(service.url)));
      for (const client of clients) client.get('/portal/login');
      terminate(service);

      for (const client of clients) await client.untilClosed();
      expect(
        clients.map(({ statuses }) => statuses),
        `round ${round}`,
      ).toEqual(upTo(40).map(() => [200]));
      expect((await service.exit).code).toBe(0);
    }
  });

  it('R1: shutdown delivers complete responses to a slow reader', async () => {
    const service = await startService({ isAlone: true, args: [PATIENT] });
    const client = await RawConnection.open(service.url);
    client.stopReading();
    for (let count = 0; count < 600; count += 1) client.get('/openapi.json');
    // Gives the service time to accept as many requests as it can.
    for (let count = 0; count < 20; count += 1) await new HttpClient(service.url).get('/portal/login');
    terminate(service);
    await waitUntil('the service is stopping', () => service.stdout.includes('Stopping'));
    const [, inProgress = '0'] = /Stopping: (\d+) request/.exec(service.stdout) ?? [];

    client.read();
    await client.untilClosed();

    expect(Number(inProgress)).toBeGreaterThan(0);
    expect((await service.exit).code).toBe(0);
    expect(service.log.join()).not.toContain('Cut off');
    expect(client.text.match(/^connection: close\r$/gim)?.length ?? 0).toBeGreaterThan(0);
    // Every response that has begun is complete.
    const bodies = client.text.split('HTTP/1.1 200 OK').slice(1);
    for (const body of bodies) expect(body.trimEnd()).toMatch(/\}$/);
  });

  it('R1: shutdown cuts off a hung client at app.lifecycle.timeout-per-shutdown-phase, not earlier', async () => {
    const service = await startService({ isAlone: true, args: ['--app.lifecycle.timeout-per-shutdown-phase=1s'] });
    const client = await hung(service);
    // The response shows that the service has received the head of the hung request.
    await new HttpClient(service.url).get('/portal/login');
    const since = performance.now();

    expect(await service.stop()).toBe(0);

    expect(performance.now() - since).toBeGreaterThan(950);
    expect(service.troubles).toContain('WARN Cut off after 1s: 1 request');
    await client.untilClosed();
    expect(client.statuses).toEqual([]);
  });

  it('R1: during server.shutdown-pre-drain readiness is 503 and requests are served with Connection: close', async () => {
    const service = await startService({ isAlone: true, args: ['--server.shutdown-pre-drain=5s', PATIENT] });
    const before = await RawConnection.open(service.url);
    before.get('/portal/login');
    await before.untilAnswered();
    terminate(service);

    const client = new HttpClient(service.url);
    const readiness = await waitUntil('readiness returns 503', async () => {
      const answer = await client.get('/actuator/health/readiness');
      return answer.status !== 200 && answer;
    });
    expect(readiness).toMatchObject({ status: 503, body: { status: 'OUT_OF_SERVICE' } });
    expect(await client.get('/actuator/health/liveness')).toMatchObject({ status: 200, body: { status: 'UP' } });
    const page = await client.get('/portal/login');
    expect(page.status).toBe(200);
    expect(page.headers.get('connection')).toBe('close');
    before.get('/portal/login');
    await before.untilClosed();
    expect(before.statuses).toEqual([200, 200]);
    expect(before.text.match(/^connection: close\r$/gim)).toHaveLength(1);
    expect((await service.exit).code).toBe(0);
    expect(service.stdout).toContain('Stopping: readiness is down; the listener closes in 5s\n');
  });

  it('R1: the management listener serves probes until the last request completes', async () => {
    const service = await startService({ isAlone: true, args: ['--management.server.port=0', PATIENT] });
    const last = await hung(service);
    await new HttpClient(service.url).get('/portal/login');
    terminate(service);
    await waitUntil('the main listener is closed', () =>
      RawConnection.open(service.url).then(
        () => false,
        () => true,
      ),
    );

    const probes = new HttpClient(service.managementUrl ?? '');
    expect((await probes.get('/health/readiness')).status).toBe(503);
    expect((await probes.get('/health/liveness')).status).toBe(200);
    last.send('}');
    await last.untilClosed();

    // Rejected for its invalid body, with Connection: close.
    expect(last.statuses).toEqual([400]);
    expect(last.text).toMatch(/^connection: close\r$/im);
    expect((await service.exit).code).toBe(0);
  });

  it('a second signal ends the shutdown at once with exit code 1', async () => {
    const service = await startService({ isAlone: true, args: [PATIENT] });
    await hung(service);
    await new HttpClient(service.url).get('/portal/login');
    terminate(service);
    await waitUntil('the service is stopping', () => service.stdout.includes('Stopping'));

    process.kill(service.pid, 'SIGINT');

    expect((await service.exit).code).toBe(1);
  });
});

describe('server.shutdown=immediate', { timeout: 60_000 }, () => {
  it('immediate shutdown does not wait for requests and exits with 0', async () => {
    const service = await startService({ isAlone: true, args: ['--server.shutdown=immediate', PATIENT] });
    const client = await RawConnection.open(service.url);
    client.send('POST /login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{');
    await new HttpClient(service.url).get('/portal/login');

    expect(await service.stop()).toBe(0);
    await client.untilClosed();
    expect(client.statuses).toEqual([]);
  });
});

describe('server.port=-1', { timeout: 60_000 }, () => {
  it('server.port=-1 opens the management listener only, and the service stops with 0', async () => {
    const service = await startService({ isAlone: true, args: ['--server.port=-1', '--management.server.port=0'] });
    const health = await waitUntil('the management listener is announced', () => service.managementUrl);

    expect((await new HttpClient(health).get('/health')).status).toBe(200);
    expect((await new HttpClient(new URL(health).origin).get('/login')).status).toBe(404);
    expect(await service.stop()).toBe(0);
  });

  it('server.port=-1 opens no listener if the management endpoints share the main one', async () => {
    const service = await startService({ isAlone: true, args: ['--server.port=-1'] });

    expect(service.managementUrl).toBeUndefined();
    expect(service.stdout).toContain('Login service is ready without a listener, as server.port is -1\n');
    expect(await service.stop()).toBe(0);
  });
});
