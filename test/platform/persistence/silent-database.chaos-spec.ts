import { afterEach, expect, it } from 'vitest';
import { Door } from '../../support/programs/door.js';
import { freshMariadbDatabase } from '../../support/database/fresh-database.js';
import { type Answer, HttpClient } from '../../support/http/http-client.js';
import '../../support/runner/matchers.js';
import { needs } from '../../support/runner/needs.js';
import { type RunningService, startService } from '../../support/programs/service.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const LIMIT_MILLIS = 5000;
/** The service promises half a second over the limit; the rest is tolerance for load. Two waits in a row take longer. */
const GENEROUS_MILLIS = 2 * LIMIT_MILLIS - 100;
/** More than the pool has connections. */
const CALLERS = 20;

const endings: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

needs('mariadb')('unresponsive database server', () => {
  it(
    'H1: requests fail within connection-timeout while the database is unresponsive, and recovery needs no restart',
    { timeout: 120_000 },
    async () => {
      const { door, service, login, session } = await serviceBehindDoor();
      expect((await session()).status).toBe(200);

      const before = Array.from({ length: CALLERS }, (_, index) => timed(index % 2 === 0 ? login : session));
      await Promise.race(before);
      door.fallSilent();
      const silentAt = performance.now();
      const during = Array.from({ length: CALLERS }, (_, index) => timed(index % 2 === 0 ? login : session));
      const live = await client(service).get('/actuator/health/liveness', hangs());
      const inFlight = await Promise.all(before);
      const fresh = await Promise.all(during);
      const late = await timed(login);

      expect(live.status).toBe(200);
      expect(inFlight.filter(({ answer }) => ![200, 503].includes(answer.status))).toEqual([]);
      for (const { answer } of [...fresh, late]) {
        expect(answer).toBeRefused(503, 'UNAVAILABLE');
        expect(answer.headers.get('retry-after')).toBe('1');
      }
      const waits = { inFlight: inFlight.map(({ end }) => end - silentAt), fresh: fresh.map(took), late: [took(late)] };
      expect(Math.max(...Object.values(waits).flat())).toBeLessThan(GENEROUS_MILLIS);

      await door.shut();
      await door.open();
      await waitUntil('a login succeeds again', async () => (await login()).status === 200);
      expect((await session()).status).toBe(200);
    },
  );
});

needs('mariadb')('a stopped database server', () => {
  it(
    'R4: liveness is 200, readiness and requests are 503, and everything works within 5 s after the return of the database',
    { timeout: 120_000 },
    async () => {
      const { door, service, login, session, token } = await serviceBehindDoor();
      const management = (): Promise<Answer> => client(service).get('/actuator/loggers', { bearer: token, ...hangs() });
      const page = (): Promise<Answer> =>
        client(service).get('/', { headers: { cookie: `SESSION=${'A'.repeat(43)}`, accept: 'text/html' }, ...hangs() });
      expect((await session()).status).toBe(200);
      expect([(await management()).status, (await page()).status]).not.toContain(503);

      await door.shut();
      await waitUntil('readiness is 503', async () => (await health(service, 'readiness')).status === 503);
      const refused = await Promise.all([login, session, management, page].map((request) => timed(request)));

      expect((await health(service, 'liveness')).status).toBe(200);
      expect(refused.map(({ answer }) => answer.status)).toEqual([503, 503, 503, 503]);
      expect(Math.max(...refused.map(took))).toBeLessThan(GENEROUS_MILLIS);

      await door.open();
      await waitUntil('a login succeeds again', async () => (await login()).status === 200, { limitMillis: 5000 });
      expect((await session()).status).toBe(200);
      await waitUntil('readiness is 200', async () => (await health(service, 'readiness')).status === 200);
    },
  );
});

interface Timed {
  readonly answer: Answer;
  readonly begin: number;
  readonly end: number;
}

async function timed(request: () => Promise<Answer>): Promise<Timed> {
  const begin = performance.now();
  const answer = await request();
  return { answer, begin, end: performance.now() };
}

function took({ begin, end }: Timed): number {
  return end - begin;
}

interface BehindDoor {
  readonly door: Door;
  readonly service: RunningService;
  readonly token: string;
  readonly login: () => Promise<Answer>;
  readonly session: () => Promise<Answer>;
}

/** A service whose database can be shut off, with requests of a user that is signed in. */
async function serviceBehindDoor(): Promise<BehindDoor> {
  const { url, username, password, server } = await freshMariadbDatabase();
  const door = new Door(server);
  await door.open();
  endings.push(() => door.shut());
  const service = await startService({
    isAlone: true,
    args: [
      `--app.datasource.url=${url.replace('jdbc:mariadb', 'jdbc:mysql').replace(`:${server.port}/`, `:${door.port}/`)}`,
      `--app.datasource.username=${username}`,
      `--app.datasource.password=${password}`,
      `--app.datasource.pool.connection-timeout=${LIMIT_MILLIS}`,
      // Lets the initial administrator sign in by password.
      '--app.security.mfa.required-roles=ROLE_AUDITOR',
    ],
  });
  endings.push(() => service.kill());
  const credentials = { ...(await firstUser(service)), resource: 'login-api' };
  const login = (): Promise<Answer> => client(service).post('/login', credentials, hangs());
  const token = String((await login()).body['access_token']);
  const session = (): Promise<Answer> => client(service).get('/session', { bearer: token, ...hangs() });
  return { door, service, token, login, session };
}

function health(service: RunningService, group: string): Promise<Answer> {
  return client(service).get(`/actuator/health/${group}`, hangs());
}

function client({ url }: RunningService): HttpClient {
  return new HttpClient(url);
}

/** Aborts a request that hangs, so that the test fails instead of its runner. */
function hangs(): { readonly signal: AbortSignal } {
  return { signal: AbortSignal.timeout(30_000) };
}

async function firstUser(service: RunningService): Promise<{ id: string; pw: string }> {
  return waitUntil('the initial administrator is printed', () => {
    const [, id, pw] = /First user: (\S+) with password (\S+)/.exec(service.stdout) ?? [];
    return id !== undefined && pw !== undefined ? { id, pw } : undefined;
  });
}
