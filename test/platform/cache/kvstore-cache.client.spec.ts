import * as v from 'valibot';
import { afterEach, expect, it } from 'vitest';
import { CollectedLog } from '../../support/programs/collected-log.js';
import { freePort } from '../../support/programs/free-port.js';
import { at, kvstoreOf } from '../../support/database/kvstore.js';
import { ManualClock } from '../../support/programs/manual-clock.js';
import { needs } from '../../support/runner/needs.js';
import { ask, startRedis } from '../../support/database/redis.js';
import { randomSealer } from '../../support/login/token-parts.js';
import { waitUntil } from '../../support/runner/wait-until.js';
import type { Kvstore } from '../../../src/platform/kvstore/kvstore.service.js';
import { StoreAvailability } from '../../../src/platform/kvstore/store-availability.js';
import { storeKey } from '../../../src/platform/kvstore/store-key.js';
import { Meters } from '../../../src/observability/metrics/meters.js';
import { SystemRandom } from '../../../src/kernel/random/random.js';
import { CacheMeters } from '../../../src/platform/cache/cache-meters.js';
import { CacheSeal } from '../../../src/platform/cache/cache-seal.js';
import { KvstoreCache } from '../../../src/platform/cache/kvstore-cache.client.js';

const MESSAGES = { lost: 'The caches are away', back: 'The caches are back' };
const endings: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

interface Settings {
  readonly sealer?: ReturnType<typeof randomSealer>;
  readonly clock?: ManualClock;
  readonly timeout?: string;
}

/** The caches of one replica. */
function replica(
  port: number,
  { sealer = randomSealer('k1'), clock = new ManualClock(), timeout = '30s' }: Settings = {},
) {
  const { kvstore } = kvstoreOf([...at({ port }), `timeout=${timeout}`]);
  const log = new CollectedLog();
  const probe = (): Promise<unknown> => kvstore.send('PING');
  const availability = new StoreAvailability(probe, kvstore.timeoutMillis, log.loggers.get('cache'), MESSAGES);
  endings.push(
    () => kvstore.onApplicationShutdown(),
    () => {
      availability.stop();
    },
  );
  const parts = { kvstore, availability, clock, seal: new CacheSeal(sealer, new SystemRandom(), clock) };
  const meters = new Meters();
  const open = <V>(name: string, schema: v.GenericSchema<unknown, V>): KvstoreCache<V> =>
    new KvstoreCache({ name, schema, maxAgeMillis: 60_000 }, parts, new CacheMeters(meters).readsAndPutsOf(name));
  return { open, users: open('users', v.string()), kvstore, availability, log, meters };
}

async function redisPort(): Promise<Awaited<ReturnType<typeof startRedis>>> {
  const server = await startRedis();
  endings.push(() => server.stop());
  return server;
}

async function keysOf(kvstore: Kvstore): Promise<readonly string[]> {
  const [, keys] = (await kvstore.send('SCAN', '0', 'COUNT', 10_000)) as [string, readonly string[]];
  return keys;
}

async function stored(cache: KvstoreCache<string>, key: string, value: string): Promise<void> {
  cache.put(key, value);
  await waitUntil('the value is stored', async () => (await cache.get(key)) === value);
}

needs('redis')('a cache in the key-value store', () => {
  it('is shared by replicas with the same seal keys', async () => {
    const { port } = await redisPort();
    const sealer = randomSealer('k1');
    const [one, other] = [replica(port, { sealer }), replica(port, { sealer })];

    await stored(one.users, 'subject', 'anna');

    expect(await other.users.get('subject')).toBe('anna');
    expect(await other.users.get('another')).toBeUndefined();
  });

  it('the store sees neither keys nor values, and each entry has the time to live of its age', async () => {
    const { port } = await redisPort();
    const { users, kvstore } = replica(port);

    await stored(users, 'anna@example.com', 'value-in-clear');

    const [key = '', ...others] = await keysOf(kvstore);
    const value = String(await kvstore.send('GET', key));
    expect(key).toMatch(/^login:cache:users:[\w-]{43}$/);
    expect(key).toBe(storeKey('cache:users', 'anna@example.com'));
    expect(others).toEqual([]);
    expect(Number((await ask(port, `PTTL ${key}`))?.slice(1))).toBeGreaterThan(50_000);
    expect(value).toMatch(/^\d+\.[\w-]+$/);
    expect(Buffer.from(value.split('.')[1] ?? '', 'base64url').toString('latin1')).not.toContain('value-in-clear');
  });

  it('a value that another program wrote, moved or kept is not found', async () => {
    const { port } = await redisPort();
    const sealer = randomSealer('k1');
    const clock = new ManualClock();
    const { users, kvstore } = replica(port, { sealer, clock });
    const foreign = replica(port, { clock });
    await stored(users, 'anna', 'anna');
    const [place = ''] = await keysOf(kvstore);
    const sealed = String(await kvstore.send('GET', place));
    await stored(users, 'root', 'root');
    const placeOfRoot = (await keysOf(kvstore)).find((key) => key !== place) ?? '';

    await kvstore.send('SET', placeOfRoot, sealed);
    const moved = await users.get('root');
    await kvstore.send('SET', placeOfRoot, '{"until":9999999999999,"value":"root"}');
    const written = await users.get('root');
    const elsewhere = await foreign.users.get('anna');
    // A store that does not remove what has expired.
    await kvstore.send('SET', place, sealed);
    const kept = await users.get('anna');
    clock.advance(60);
    const keptTooLong = await users.get('anna');

    expect([moved, written, elsewhere, kept, keptTooLong]).toEqual([
      undefined,
      undefined,
      undefined,
      'anna',
      undefined,
    ]);
  });

  it('a value in the form of another release is not found', async () => {
    const { port } = await redisPort();
    const { open } = replica(port);
    await stored(open('facts', v.string()), 'key', 'a text');

    expect(await open('facts', v.object({ name: v.string() })).get('key')).toBeUndefined();
  });

  it('clearing removes the entries of this cache alone, however many there are', async () => {
    const { port } = await redisPort();
    const { users, open, kvstore } = replica(port);
    const sessions = open('sessions', v.string());
    await kvstore.send('SET', 'login:rate-limit:x', '1');
    await stored(sessions, 'sid', 'kept');
    for (let number = 0; number < 2500; number++) users.put(String(number), 'x');
    await stored(users, 'last', 'x');

    await users.clear();

    expect((await keysOf(kvstore)).map((key) => key.replace(/[\w-]{43}$/, ''))).toEqual(
      expect.arrayContaining(['login:rate-limit:x', 'login:cache:sessions:']),
    );
    expect(await keysOf(kvstore)).toHaveLength(2);
  });

  it('a store that hangs costs one request the timeout and the next ones nothing, and is used again later', async () => {
    const server = await redisPort();
    const { users, availability, log } = replica(server.port, { timeout: '2s' });
    await stored(users, 'subject', 'anna');

    server.signal('SIGSTOP');
    const first = await users.get('subject');
    const wasAvailable = availability.isAvailable;
    const startedAt = performance.now();
    const next = await users.get('subject');
    const nextMillis = performance.now() - startedAt;
    await expect(users.clear()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    server.signal('SIGCONT');
    await waitUntil('the store is used again', () => availability.isAvailable);

    expect([first, next, wasAvailable]).toEqual([undefined, undefined, false]);
    expect(nextMillis).toBeLessThan(1000);
    expect(await users.get('subject')).toBe('anna');
    expect(log.messages).toEqual(['WARN The caches are away', 'INFO The caches are back']);
  });
});

it('without a store that accepts connections nothing is found, and nothing fails', async () => {
  const { users, log, meters } = replica(await freePort());

  users.put('subject', 'anna');

  expect(await users.get('subject')).toBeUndefined();
  expect(log.messages).toEqual(['WARN The caches are away']);
  expect(
    meters.find('cache.gets')?.series.map(({ tags, meter }) => [tags['result'], meter.measure()[0]?.value]),
  ).toEqual([
    ['hit', 0],
    ['miss', 1],
  ]);
});
