import { afterAll, beforeAll, expect, it } from 'vitest';
import { at, kvstoreOf } from '../../../test/support/database/kvstore.js';
import { needs } from '../../../test/support/runner/needs.js';
import { ask, type RedisServer, startRedis } from '../../../test/support/database/redis.js';
import { SystemClock } from '../../kernel/clock/clock.js';
import { storeKey } from '../kvstore/store-key.js';
import type { Kvstore } from '../kvstore/kvstore.service.js';
import { KvstoreLimits } from './kvstore-limits.client.js';

needs('redis')('limits in the key-value store', () => {
  let redis: RedisServer;
  let replicas: readonly Kvstore[];

  beforeAll(async () => {
    redis = await startRedis();
    replicas = [1, 2].map(() => kvstoreOf(at(redis)).kvstore);
  });
  afterAll(async () => {
    await Promise.all(replicas.map((each) => each.onApplicationShutdown()));
    await redis.stop();
  });

  it('two replicas admit exactly as many hits as the quota', async () => {
    const charge = { key: 'exact', quota: 25, windowMillis: 86_400_000, hits: 3 };

    const verdicts = await Promise.all(
      Array.from({ length: 20 }, (_, turn) => new KvstoreLimits(replicas[turn % 2] as Kvstore).charge([charge])),
    );

    expect(verdicts.flat().reduce((sum, { admitted }) => sum + admitted, 0)).toBe(25);
    expect(verdicts.flat().at(-1)).toMatchObject({ admitted: 0, remaining: 0 });
    expect(verdicts.flat().at(-1)?.retryMillis).toBeGreaterThan(0);
  });

  it('one program charges several keys apart', async () => {
    const limits = new KvstoreLimits(replicas[0] as Kvstore);
    const charge = { windowMillis: 3_600_000, hits: 2 };

    const verdicts = await limits.charge([
      { ...charge, key: 'one', quota: 1 },
      { ...charge, key: 'other', quota: 9 },
    ]);

    expect(verdicts).toMatchObject([
      { admitted: 1, remaining: 0 },
      { admitted: 2, remaining: 7 },
    ]);
  });

  it('the store shows neither addresses nor login ids', async () => {
    await new KvstoreLimits(replicas[0] as Kvstore).charge([
      { key: 'sign-in:60000:id:anna', quota: 1, windowMillis: 3_600_000, hits: 1 },
    ]);

    const keys = String(await replicas[0]?.send('SCAN', '0', 'COUNT', '1000'));

    expect(keys).toContain(storeKey('rate-limit', 'sign-in:60000:id:anna'));
    expect(keys).not.toContain('anna');
  });

  it('a key expires after the window that follows its own', async () => {
    await new KvstoreLimits(replicas[0] as Kvstore).charge([
      { key: 'expires', quota: 1, windowMillis: 60_000, hits: 1 },
    ]);

    const [, seconds] =
      /^:(\d+)$/.exec((await ask(redis.port, `TTL ${storeKey('rate-limit', 'expires')}`)) ?? '') ?? [];

    expect(Number(seconds)).toBeGreaterThan(110);
    expect(Number(seconds)).toBeLessThanOrEqual(120);
  });

  it('limits in a new window count what is left of the one before', async () => {
    // Long, so that no window ends meanwhile.
    const windowMillis = 86_400_000;
    const now = new SystemClock().millis();
    // Simulates a count that another replica stored in the window before; the clock of the store is that of this
    // machine.
    await ask(
      redis.port,
      `HSET ${storeKey('rate-limit', 'old')} w ${Math.floor(now / windowMillis) - 1} c 1000000000 p 0`,
    );

    const [verdict] = await new KvstoreLimits(replicas[0] as Kvstore).charge([
      { key: 'old', quota: 10, windowMillis, hits: 1 },
    ]);

    expect(verdict).toMatchObject({ admitted: 0, remaining: 0 });
  });
});
