import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reading } from '../../test/config/keys/situation.js';
import { freePort } from '../../test/support/free-port.js';
import { needs } from '../../test/support/needs.js';
import { type RedisServer, startRedis } from '../../test/support/redis.js';
import { Configuration } from '../config/configuration.js';
import { HealthComponents } from '../health/health-components.js';
import { KvstoreIndicator } from './kvstore.indicator.js';
import { KvstoreProperties } from './kvstore.properties.js';

function indicator(args: readonly string[]) {
  const read = reading({ args: args.map((arg) => `--app.data.kvstore.${arg}`) });
  const configuration = new Configuration(read.environment, read.registry, read.warnings, read.instances);
  const components = new HealthComponents();
  return { kvstore: new KvstoreIndicator(configuration.get(KvstoreProperties), configuration, components), components };
}

function check(port: number, signal = new AbortController().signal) {
  return indicator(['host=127.0.0.1', `port=${port}`]).kvstore.check(signal);
}

describe('the indicator of the key-value store', () => {
  it('is registered only if a host is configured, even the default one', () => {
    expect(indicator(['port=6380', 'timeout=1s']).components.all).toEqual([]);
    expect(indicator(['host=localhost']).components.all).toHaveLength(1);
  });

  it('has the time limit of a command', () => {
    expect(indicator(['timeout=1500ms']).kvstore.limitMillis).toBe(1500);
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

needs('redis')('the health of a Redis that is stopped', () => {
  it('fails', async () => {
    const redis = await startRedis();
    const before = await check(redis.port);

    await redis.stop();

    expect(before.status).toBe('UP');
    await expect(check(redis.port)).rejects.toThrow(/ECONNREFUSED/);
  });
});
