import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../test/support/programs/free-port.js';
import { at, kvstoreOf } from '../../../test/support/database/kvstore.js';
import { needs } from '../../../test/support/runner/needs.js';
import { type RedisServer, startRedis } from '../../../test/support/database/redis.js';
import { HealthComponents } from '../../observability/health/health-components.js';
import { KvstoreIndicator } from './kvstore.indicator.js';

function indicator(keys: readonly string[]) {
  const { kvstore } = kvstoreOf(keys);
  const components = new HealthComponents();
  return { indicator: new KvstoreIndicator(kvstore, components), components, kvstore };
}

async function check(port: number) {
  const { indicator: health, kvstore } = indicator(at({ port }));
  return health.check().finally(() => kvstore.onApplicationShutdown());
}

describe('the indicator of the key-value store', () => {
  it('is registered only if a host or sentinels are configured, even the default host', () => {
    expect(indicator(['port=6380', 'timeout=1s']).components.all).toEqual([]);
    expect(indicator(['host=localhost']).components.all).toHaveLength(1);
    expect(indicator(['sentinel.master=login', 'sentinel.nodes=127.0.0.1:1']).components.all).toHaveLength(1);
  });

  it('has the time limit of a command', () => {
    expect(indicator(['timeout=1500ms']).indicator.limitMillis).toBe(1500);
  });

  it('fails if the connection is refused', async () => {
    await expect(check(await freePort())).rejects.toThrow(/ECONNREFUSED/);
  });
});

needs('redis')('the health of a Redis', () => {
  let redis: RedisServer;

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  it('is UP with its version', async () => {
    expect(await check(redis.port)).toEqual({
      status: 'UP',
      details: { version: expect.stringMatching(/^\d+\.\d+\.\d+$/) as string },
    });
  });
});
