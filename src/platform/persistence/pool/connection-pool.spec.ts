import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CollectedLog } from '../../../../test/support/programs/collected-log.js';
import { readings } from '../../../../test/support/management/meter-readings.js';
import { fc } from '../../../../test/support/runner/property.js';
import { Meters } from '../../../observability/metrics/meters.js';
import { type Random, SystemRandom } from '../../../kernel/random/random.js';
import { ConnectionPool, type Lease, type PoolableConnection } from './connection-pool.js';
import { PoolMeters } from './pool-meters.js';
import { adjustedSettings, type PoolSettings } from './pool-settings.js';

const TIMEOUT = 3000;
const OPEN_MILLIS = 5;

/** Stands for a database server and the network before it. */
class FakeServer {
  readonly open = new Set<FakeConnection>();
  /** Maximum number of connections that were open or being opened at once. */
  most = 0;
  attempts = 0;
  opened = 0;
  tests = 0;
  isReachable = true;
  /** True if the check of each connection fails at once. */
  failsTests = false;
  /** True if connections get no responses. */
  isSilent = false;
  /** Sessions of closed connections live on until then; undefined if they end at once. */
  endsSessions: Promise<undefined> | undefined;
  private opening = 0;

  async connect(): Promise<FakeConnection> {
    this.opening += 1;
    this.attempts += 1;
    this.most = Math.max(this.most, this.open.size + this.opening);
    await new Promise((resolve) => setTimeout(resolve, OPEN_MILLIS));
    this.opening -= 1;
    if (!this.isReachable) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    this.opened += 1;
    const connection = new FakeConnection(this);
    this.open.add(connection);
    return connection;
  }
}

class FakeConnection implements PoolableConnection {
  /** How the pool has closed the connection, each time that it did. */
  readonly closings: ('ended' | 'destroyed')[] = [];
  private readonly listeners: (() => void)[] = [];

  constructor(private readonly server: FakeServer) {}

  test(): Promise<void> {
    this.server.tests += 1;
    if (this.server.failsTests) return Promise.reject(new Error('the check failed'));
    return this.server.isSilent ? new Promise(() => undefined) : Promise.resolve();
  }

  end(): Promise<void> {
    return this.leave('ended');
  }

  destroy(): Promise<void> {
    return this.leave('destroyed');
  }

  private async leave(how: 'ended' | 'destroyed'): Promise<void> {
    this.closings.push(how);
    if (this.server.endsSessions) await this.server.endsSessions;
    this.server.open.delete(this);
  }

  onLost(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** The server or the network closes the connection. */
  lose(): void {
    this.server.open.delete(this);
    for (const listener of this.listeners) listener();
  }
}

interface Stand {
  readonly server: FakeServer;
  readonly pool: ConnectionPool<FakeConnection>;
  readonly log: CollectedLog;
  readonly meters: Meters;
}

function stand(configured: Partial<PoolSettings> = {}, random: Random = new SystemRandom()): Stand {
  const server = new FakeServer();
  const log = new CollectedLog();
  const meters = new Meters();
  const { settings } = adjustedSettings({ connectionTimeout: TIMEOUT, ...configured });
  const logger = log.loggers.get('persistence');
  const pool = new ConnectionPool({ open: () => server.connect(), settings, random, logger });
  pool.addMeters(new PoolMeters(meters, settings.name));
  return { server, pool, log, meters };
}

const pass = (millis: number): Promise<unknown> => vi.advanceTimersByTimeAsync(millis);

async function borrowed(pool: ConnectionPool<FakeConnection>): Promise<Lease<FakeConnection>> {
  const lease = pool.borrow();
  await pass(OPEN_MILLIS);
  return lease;
}

/** The error of a promise that rejects. */
function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** Borrows all connections of a pool. */
async function exhausted({ pool }: Stand): Promise<readonly Lease<FakeConnection>[]> {
  const leases = Promise.all(Array.from({ length: pool.settings.maximumPoolSize }, () => pool.borrow()));
  await pass(OPEN_MILLIS);
  return leases;
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe('borrowing', () => {
  it('never opens more than maximum-pool-size connections, and serves callers in their order', async () => {
    const { pool, server } = stand({ maximumPoolSize: 2 });
    const order: number[] = [];
    const callers = Array.from({ length: 6 }, async (_, index) => {
      const lease = await pool.borrow();
      order.push(index);
      await pass(1);
      lease.release();
    });

    await pass(100);
    await Promise.all(callers);

    expect(order).toEqual([0, 1, 2, 3, 4, 5]);
    expect(server.most).toBe(2);
  });

  it('R6: fails at connection-timeout with the counts of the pool', async () => {
    const all = stand({ maximumPoolSize: 2, name: 'front' });
    await exhausted(all);

    const failed = failureOf(all.pool.borrow());
    await pass(TIMEOUT + 1);

    expect(await failed).toMatchObject({
      message: 'front had no connection within 3000 ms (total=2, active=2, idle=0, waiting=1)',
    });

    expect(readings(all.meters, 'pool.connections.timeout')).toEqual({ front: 1 });
    expect(all.pool.state.pending).toBe(0);
  });

  it('names the reason if connections cannot be opened, and tries one at a time', async () => {
    const { pool, server } = stand();
    server.isReachable = false;

    const failed = Promise.allSettled(Array.from({ length: 30 }, () => pool.borrow()));
    await pass(500);
    expect(server.most).toBeLessThanOrEqual(10);
    server.most = 0;
    await pass(TIMEOUT + 1);

    expect(server.most).toBe(1);
    expect(pool.state).toMatchObject({ open: 0, active: 0, pending: 0 });
    for (const result of await failed) {
      expect(result).toMatchObject({ status: 'rejected', reason: { cause: { code: 'ECONNREFUSED' } } });
    }
  });

  it('a health check fails with the reason of an outage at the next attempt of the pool', async () => {
    const { pool, server } = stand();
    server.isReachable = false;

    const first = failureOf(pool.borrow({ failsAtOutage: true }));
    await pass(OPEN_MILLIS);
    expect(await first).toMatchObject({ code: 'ECONNREFUSED' });
    const second = failureOf(pool.borrow({ failsAtOutage: true }));
    await pass(500 + OPEN_MILLIS);
    expect(await second).toMatchObject({ code: 'ECONNREFUSED' });

    server.isReachable = true;
    await pass(1000);
    expect((await borrowed(pool)).connection).toBeInstanceOf(FakeConnection);
  });

  it('an attempt that began before a health check asked does not fail it', async () => {
    const { pool, server } = stand({ maximumPoolSize: 1 });
    server.isReachable = false;
    const caller = pool.borrow();
    await pass(1);
    const check = pool.borrow({ failsAtOutage: true });
    await pass(OPEN_MILLIS);
    server.isReachable = true;

    await pass(1000);
    (await caller).release();

    expect((await check).connection).toBe((await caller).connection);
  });

  it('callers that arrive in an outage cause no further attempts', async () => {
    const { pool, server } = stand({ maximumPoolSize: 10 });
    server.isReachable = false;
    const callers = [failureOf(pool.borrow())];
    await pass(OPEN_MILLIS);
    server.most = 0;
    for (let elapsed = 0; elapsed < 2 * TIMEOUT; elapsed += 3) {
      callers.push(failureOf(pool.borrow()));
      await pass(3);
    }
    await pass(TIMEOUT + 1);
    await Promise.all(callers);

    expect(server.most).toBe(1);
    // The delays are at least 50, 100, 200, and from then on 250 ms.
    expect(server.attempts).toBeLessThanOrEqual(1 + 3 + (3 * TIMEOUT - 350) / 250);
  });

  it('after an outage, all connections that callers wait for are opened at once', async () => {
    const { pool, server } = stand({ maximumPoolSize: 5 });
    server.isReachable = false;
    const callers = Promise.all(Array.from({ length: 5 }, () => pool.borrow()));
    await pass(200);
    server.isReachable = true;
    while (pool.state.open === 0) await pass(1);
    expect(pool.state.open).toBe(1);

    await pass(OPEN_MILLIS);

    expect(await callers).toHaveLength(5);
    expect(pool.state).toMatchObject({ active: 5, pending: 0 });
  });

  it.each(['discard', 'end of its lifetime'] as const)(
    'D3: after its %s, a connection keeps its place until its session has ended at the server',
    async (how) => {
      const { pool, server } = stand({ maximumPoolSize: 1, maxLifetime: 30_000, connectionTimeout: 60_000 });
      const first = await borrowed(pool);
      const sessionEnd = Promise.withResolvers<undefined>();
      server.endsSessions = sessionEnd.promise;
      if (how === 'discard') first.discard();
      else {
        first.release();
        await pass(30_000);
      }

      const second = pool.borrow();
      await pass(1000);
      expect(pool.state).toMatchObject({ open: 0, pending: 1 });
      sessionEnd.resolve(undefined);
      await pass(OPEN_MILLIS);

      expect((await second).connection.closings).toEqual([]);
      expect(server.most).toBe(1);
    },
  );

  it('a connection that is discarded is destroyed, and a caller that waits gets a new one', async () => {
    const all = stand({ maximumPoolSize: 1 });
    const [lease] = await exhausted(all);
    const next = all.pool.borrow();

    lease?.discard();
    await pass(OPEN_MILLIS);

    expect(lease?.connection.closings).toEqual(['destroyed']);
    expect((await next).connection).not.toBe(lease?.connection);
  });

  it('a connection that returns in the turn in which the deadline passes still serves its caller', async () => {
    const all = stand({ maximumPoolSize: 1 });
    const [lease] = await exhausted(all);
    const waiting = all.pool.borrow();
    setTimeout(() => lease?.release(), TIMEOUT);

    await pass(TIMEOUT + 1);

    expect((await waiting).connection).toBe(lease?.connection);
    expect(readings(all.meters, 'pool.connections.timeout')).toEqual({ 'pool-1': 0 });
  });

  it('a caller gets a connection within a second after the server is back', async () => {
    const { pool, server } = stand();
    server.isReachable = false;
    const lease = pool.borrow();
    await pass(1500);
    server.isReachable = true;

    await pass(1000 + OPEN_MILLIS);

    expect((await lease).connection).toBeInstanceOf(FakeConnection);
  });

  it('a connection that arrives after the deadline of its caller stays in the pool', async () => {
    const all = stand({ maximumPoolSize: 1 });
    const [lease] = await exhausted(all);
    const late = failureOf(all.pool.borrow());
    await pass(TIMEOUT + 1);
    expect(await late).toMatchObject({ code: 'POOL_TIMEOUT' });

    lease?.release();

    expect(all.pool.state).toMatchObject({ open: 1, idle: 1, active: 0 });
  });

  it('a lease that is returned twice is lent once', async () => {
    const { pool } = stand();
    const lease = await borrowed(pool);
    lease.release();
    lease.release();
    lease.discard();

    expect(pool.state).toMatchObject({ open: 1, idle: 1 });
  });

  it('waits without limit if connection-timeout is 0', async () => {
    const all = stand({ maximumPoolSize: 1, connectionTimeout: 0, maxLifetime: 0 });
    const [lease] = await exhausted(all);
    const waiting = all.pool.borrow();
    await pass(3_600_000);
    expect(all.pool.state.pending).toBe(1);

    lease?.release();

    expect((await waiting).connection).toBe(lease?.connection);
  });
});

describe('a preference of the caller', () => {
  it('is met by an idle connection in recent use, and otherwise the one that was used last is lent', async () => {
    const all = stand({ maximumPoolSize: 3 });
    const leases = await exhausted(all);
    const [old, one, two] = leases.map(({ connection }) => connection);
    for (const lease of leases) {
      lease.release();
      if (lease.connection === old) await pass(501);
    }
    const lent = async (wanted?: FakeConnection): Promise<FakeConnection> => {
      const lease = await all.pool.borrow({ prefers: (connection) => connection === wanted });
      lease.release();
      return lease.connection;
    };

    expect(await lent(one)).toBe(one);
    expect(await lent(two)).toBe(two);
    expect(await lent()).toBe(two);
    expect(await lent(old)).toBe(two);
    expect(all.server.tests).toBe(0);
  });
});

describe('the check of a connection', () => {
  it('happens only after 500 ms without use', async () => {
    const { pool, server } = stand();
    (await borrowed(pool)).release();
    await pass(500);
    (await pool.borrow()).release();
    expect(server.tests).toBe(0);

    await pass(501);
    (await pool.borrow()).release();
    await pass(OPEN_MILLIS);

    expect(server.tests).toBe(1);
    expect(server.opened).toBe(1);
  });

  it('does not happen after a long use', async () => {
    const { pool, server } = stand();
    const lease = await borrowed(pool);
    await pass(60_000);
    lease.release();
    await pool.borrow();

    expect(server.tests).toBe(0);
  });

  it('tests one connection for each caller', async () => {
    const all = stand({ maximumPoolSize: 5 });
    for (const lease of await exhausted(all)) lease.release();
    await pass(501);

    await Promise.all([all.pool.borrow(), all.pool.borrow()]);

    expect(all.server.tests).toBe(2);
    expect(all.pool.state).toMatchObject({ open: 5, active: 2, idle: 3 });
  });

  it('replaces a connection that fails it', async () => {
    const all = stand({ maximumPoolSize: 2 });
    const leases = await exhausted(all);
    for (const lease of leases) lease.release();
    await pass(501);
    all.server.failsTests = true;

    const lease = all.pool.borrow();
    await pass(OPEN_MILLIS);

    const { connection } = await lease;
    expect(leases.map((old) => old.connection)).not.toContain(connection);
  });

  it('costs one caller one wait, even if no connection responds', async () => {
    const all = stand({ maximumPoolSize: 10, validationTimeout: 1000 });
    for (const lease of await exhausted(all)) lease.release();
    await pass(501);
    all.server.isSilent = true;

    const lease = all.pool.borrow();
    await pass(1000 + OPEN_MILLIS);

    expect(all.pool.state).toMatchObject({ open: 1, active: 1 });
    expect(all.server.open).toEqual(new Set([(await lease).connection]));
  });

  it('counts neither as use nor as idle; a connection that is lost during it is replaced', async () => {
    const { pool, server } = stand({ maximumPoolSize: 1, validationTimeout: 1000 });
    (await borrowed(pool)).release();
    await pass(501);
    server.isSilent = true;
    const lease = pool.borrow();
    expect(pool.state).toMatchObject({ open: 1, idle: 0, active: 0, pending: 1 });

    [...server.open][0]?.lose();
    await pass(1000 + OPEN_MILLIS);

    expect(server.open).toEqual(new Set([(await lease).connection]));
  });

  it('is limited by validation-timeout, and its connection is replaced', async () => {
    const { pool, server } = stand({ validationTimeout: 250 });
    (await borrowed(pool)).release();
    await pass(501);
    server.isSilent = true;

    const [silent] = server.open;
    const lease = pool.borrow();
    await pass(250 + OPEN_MILLIS);

    expect((await lease).connection).toBeInstanceOf(FakeConnection);
    expect(silent?.closings).toEqual(['destroyed']);
    expect(server.opened).toBe(2);
    expect(server.open.size).toBe(1);
  });
});

describe('the age of a connection', () => {
  it('is at most max-lifetime and at least 97.5 % of it; in use, it ends when it returns', async () => {
    const { pool, server } = stand({ maximumPoolSize: 1, maxLifetime: 30_000 });
    const idle = await borrowed(pool);
    idle.release();
    await pass(29_249 - OPEN_MILLIS);
    expect(server.open.has(idle.connection)).toBe(true);
    await pass(751 + OPEN_MILLIS);
    expect(server.open.has(idle.connection)).toBe(false);

    const used = await borrowed(pool);
    await pass(31_000);
    expect(server.open.has(used.connection)).toBe(true);
    used.release();
    expect(server.open.has(used.connection)).toBe(false);
    expect(used.connection.closings).toEqual(['ended']);
  });

  it('differs between connections that were opened together', async () => {
    const parts = [0, 0.999];
    const random: Random = Object.assign(new SystemRandom(), { fraction: () => parts.shift() ?? 0 });
    const all = stand({ maximumPoolSize: 2, maxLifetime: 30_000 }, random);
    for (const lease of await exhausted(all)) lease.release();

    await pass(29_300);
    expect(all.pool.state.open).toBe(1);
    await pass(700);
    expect(all.pool.state.open).toBe(0);
  });
});

describe('idle connections', () => {
  it('minimum-idle of them are opened in the background, and replaced when they are lost', async () => {
    const { pool, server } = stand({ maximumPoolSize: 5, minimumIdle: 3 });
    pool.keepWarm();
    await pass(OPEN_MILLIS);
    expect(pool.state).toMatchObject({ open: 3, idle: 3 });

    [...server.open][0]?.lose();
    await pass(OPEN_MILLIS);

    expect(pool.state).toMatchObject({ open: 3, idle: 3 });
    expect(server.opened).toBe(4);
    await pool.close();
  });

  it('are closed above minimum-idle after idle-timeout', async () => {
    const all = stand({ maximumPoolSize: 5, minimumIdle: 2, idleTimeout: 10_000 });
    all.pool.keepWarm();
    for (const lease of await exhausted(all)) lease.release();
    expect(all.pool.state.open).toBe(5);

    await pass(40_001);

    expect(all.pool.state).toMatchObject({ open: 2, idle: 2 });
    expect(all.server.opened).toBe(5);
    await all.pool.close();
  });

  it.each([
    ['used recently', 10_000, 29_000],
    ['idle-timeout is 0', 0, 0],
  ])('stay open above minimum-idle: %s', async (_, idleTimeout, millis) => {
    const all = stand({ maximumPoolSize: 5, minimumIdle: 0, idleTimeout });
    all.pool.keepWarm();
    const leases = await exhausted(all);
    await pass(millis);
    for (const lease of leases) lease.release();

    await pass(30_001 - millis);

    expect(all.pool.state.idle).toBe(5);
    await all.pool.close();
  });

  it('are reopened after an eviction', async () => {
    const { pool, server } = stand({ maximumPoolSize: 3 });
    pool.keepWarm();
    await pass(OPEN_MILLIS);

    pool.evict(() => true);
    await pass(OPEN_MILLIS);

    expect(pool.state.idle).toBe(3);
    expect(server.opened).toBe(6);
    await pool.close();
  });
});

describe('a lent connection', () => {
  it('is reported after leak-detection-threshold with the place that borrowed it, and once more when it returns', async () => {
    const { pool, log } = stand({ leakDetectionThreshold: 2000 });
    const lease = await borrowed(pool);
    await pass(1999);
    expect(log.lines).toEqual([]);
    await pass(1);

    expect(log.texts.join('')).toContain('connection-pool.spec.ts');
    lease.release();
    expect(log.messages).toEqual([
      'WARN A connection of the pool may have leaked',
      'INFO A connection that was reported as leaked was returned',
    ]);
  });

  it('is not reported if it returns in time', async () => {
    const { pool, log } = stand({ leakDetectionThreshold: 2000 });
    (await borrowed(pool)).release();
    await pass(2000);

    expect(log.lines).toEqual([]);
  });

  it('is measured: the wait for it, its use, and the time to open it', async () => {
    const { pool, meters } = stand();
    const lease = await borrowed(pool);
    expect(readings(meters, 'pool.connections.active', 'VALUE')).toEqual({ 'pool-1': 1 });
    await pass(1000);
    lease.release();

    expect(readings(meters, 'pool.connections.creation')).toEqual({ 'pool-1': 1 });
    expect(readings(meters, 'pool.connections.acquire')).toEqual({ 'pool-1': 1 });
    expect(readings(meters, 'pool.connections.usage')).toEqual({ 'pool-1': 1 });
  });

  it('is closed when it is evicted and returns; idle ones are closed at once', async () => {
    const all = stand({ maximumPoolSize: 2 });
    const [first, second] = await exhausted(all);
    first?.release();

    all.pool.evict(() => true);
    expect(all.server.open).toEqual(new Set([second?.connection]));
    second?.release();

    expect(all.server.open.size).toBe(0);
  });
});

describe('closing', () => {
  it('rejects callers that wait, and waits some seconds for lent connections', async () => {
    const all = stand({ maximumPoolSize: 2, name: 'front' });
    const [first, second] = await exhausted(all);
    all.pool.keepWarm();
    const waiting = failureOf(all.pool.borrow());

    const closed = all.pool.close();
    expect(await waiting).toMatchObject({ code: 'POOL_CLOSED' });
    first?.release();
    expect(all.server.open.size).toBe(1);
    await pass(5000);
    await closed;

    expect(all.server.open.size).toBe(0);
    await expect(all.pool.borrow()).rejects.toMatchObject({ code: 'POOL_CLOSED' });
    expect(readings(all.meters, 'pool.connections.timeout')).toEqual({ front: 0 });
    second?.release();
    expect(second?.connection.closings).toEqual(['destroyed']);
    expect(all.server.attempts).toBe(2);
  });

  it.each(['nothing is open', 'connections are idle', 'the last connection returns'])(
    'ends at once: %s',
    async (state) => {
      const all = stand({ maximumPoolSize: 2 });
      const leases = state === 'nothing is open' ? [] : await exhausted(all);
      if (state === 'connections are idle') for (const lease of leases) lease.release();

      const closed = all.pool.close();
      for (const lease of leases) lease.release();
      await closed;

      expect(all.server.open.size).toBe(0);
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  it.each([
    ['opens', true],
    ['cannot be opened', false],
  ])('waits for a connection that %s meanwhile, and opens no other', async (_, isReachable) => {
    const { pool, server } = stand({ maximumPoolSize: 2 });
    const waiting = failureOf(pool.borrow());
    server.isReachable = isReachable;

    let isClosed = false;
    const closed = pool.close().then(() => (isClosed = true));
    await pass(OPEN_MILLIS - 1);
    expect(isClosed).toBe(false);
    await pass(1);
    await closed;

    expect(await waiting).toMatchObject({ code: 'POOL_CLOSED' });
    expect(server.open.size).toBe(0);
    expect(server.attempts).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('leaves no timer, in an outage as well', async () => {
    const all = stand({ maximumPoolSize: 3, minimumIdle: 3, leakDetectionThreshold: 2000 });
    const [lease] = await exhausted(all);
    all.pool.keepWarm();
    all.server.isReachable = false;
    for (const connection of all.server.open) connection.lose();
    await pass(1000);

    const closed = all.pool.close();
    lease?.discard();
    await pass(5000);
    await closed;

    expect(vi.getTimerCount()).toBe(0);
  });
});

type Step =
  | { readonly kind: 'borrow'; readonly callers: number }
  | { readonly kind: 'return'; readonly share: number; readonly usable: boolean }
  | { readonly kind: 'lose'; readonly share: number }
  | { readonly kind: 'outage' | 'silence'; readonly isOn: boolean }
  | { readonly kind: 'pass'; readonly millis: number };

const share = fc.double({ min: 0, max: 1, noNaN: true });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('borrow' as const), callers: fc.integer({ min: 1, max: 8 }) }),
    fc.record({ kind: fc.constant('return' as const), share, usable: fc.boolean() }),
    fc.record({ kind: fc.constant('lose' as const), share }),
    fc.record({ kind: fc.constantFrom('outage' as const, 'silence' as const), isOn: fc.boolean() }),
    fc.record({ kind: fc.constant('pass' as const), millis: fc.integer({ min: 0, max: 4000 }) }),
  ),
  { minLength: 1, maxLength: 60 },
);

const pools = fc.record({
  maximumPoolSize: fc.integer({ min: 1, max: 5 }),
  minimumIdle: fc.integer({ min: 0, max: 5 }),
  maxLifetime: fc.constantFrom(0, 30_000),
  idleTimeout: fc.constantFrom(0, 10_000),
  validationTimeout: fc.constantFrom(250, 5000),
});

/** The first `part` of a list, rounded up. */
function some<T>(all: Iterable<T>, part: number): readonly T[] {
  const list = [...all];
  return list.slice(0, Math.ceil(part * list.length));
}

it('in any schedule at most the maximum is open, no caller waits beyond its deadline, and no connection is lost', async () => {
  await fc.assert(
    fc.asyncProperty(pools, steps, async (configured, schedule) => {
      const { pool, server } = stand(configured);
      const leases = new Set<Lease<FakeConnection>>();
      const waits: number[] = [];
      let unsettled = 0;
      const borrow = (): void => {
        const asked = performance.now();
        unsettled += 1;
        const settle = (): void => {
          unsettled -= 1;
          waits.push(performance.now() - asked);
        };
        pool.borrow().then((lease) => {
          leases.add(lease);
          settle();
        }, settle);
      };
      const act = (step: Step): unknown => {
        switch (step.kind) {
          case 'borrow':
            for (let caller = 0; caller < step.callers; caller += 1) borrow();
            return undefined;
          case 'return':
            for (const lease of some(leases, step.share)) {
              leases.delete(lease);
              if (step.usable) lease.release();
              else lease.discard();
            }
            return undefined;
          case 'lose':
            for (const connection of some(server.open, step.share)) connection.lose();
            return undefined;
          case 'outage':
            server.isReachable = !step.isOn;
            return undefined;
          case 'silence':
            server.isSilent = step.isOn;
            return undefined;
          case 'pass':
            return pass(step.millis);
        }
      };

      pool.keepWarm();
      for (const step of schedule) {
        await act(step);
        if (step.kind !== 'pass') continue;
        const { open, idle, active, pending } = pool.state;
        expect(active).toBe(leases.size);
        expect(pending).toBe(unsettled);
        expect(idle).toBeLessThanOrEqual(open - active);
        expect(open).toBeLessThanOrEqual(configured.maximumPoolSize);
      }
      await pass(TIMEOUT + 1);
      expect(unsettled).toBe(0);
      expect(Math.max(0, ...waits)).toBeLessThanOrEqual(TIMEOUT + 1);
      expect(server.most).toBeLessThanOrEqual(configured.maximumPoolSize);

      Object.assign(server, { isReachable: true, isSilent: false });
      for (const lease of leases) lease.release();
      await pass(40_000);
      expect(pool.state).toMatchObject({ open: server.open.size, active: 0, pending: 0 });
      expect(pool.state.idle).toBeGreaterThanOrEqual(Math.min(configured.minimumIdle, configured.maximumPoolSize));

      // Every connection of the pool can still be borrowed at once.
      const all = Array.from({ length: configured.maximumPoolSize }, () => pool.borrow());
      await pass(TIMEOUT - 1);
      for (const lease of await Promise.all(all)) lease.release();
      const closed = pool.close();
      await pass(OPEN_MILLIS);
      await closed;
      expect(server.open.size).toBe(0);
      expect(vi.getTimerCount()).toBe(0);
    }),
    { numRuns: 200 },
  );
});
