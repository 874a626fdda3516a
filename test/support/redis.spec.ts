import { expect, it } from 'vitest';
import { needs } from './needs.js';
import { ask, startRedis } from './redis.js';

needs('redis')('a private Redis', () => {
  it('answers on the loopback address until it is stopped', async () => {
    const redis = await startRedis();
    expect(await ask(redis.port, 'PING')).toBe('+PONG');

    await redis.stop();
    expect(await ask(redis.port, 'PING')).toBeNull();
  });

  it('is not shared between callers', async () => {
    const [one, other] = await Promise.all([startRedis(), startRedis()]);
    await ask(one.port, 'SET key here');

    expect(await ask(other.port, 'GET key')).toBe('$-1');
    await Promise.all([one.stop(), other.stop()]);
  });
});
