import { expect, it } from 'vitest';
import { needs } from '../runner/needs.js';
import { ask, startRedis } from './redis.js';

needs('redis')('private Redis', () => {
  it('a private Redis responds on the loopback address until it is stopped', async () => {
    const redis = await startRedis();
    expect(await ask(redis.port, 'PING')).toBe('+PONG');

    await redis.stop();
    expect(await ask(redis.port, 'PING')).toBeNull();
  });

  it('callers do not share a private Redis', async () => {
    const [one, other] = await Promise.all([startRedis(), startRedis()]);
    await ask(one.port, 'SET key here');

    expect(await ask(other.port, 'GET key')).toBe('$-1');
    await Promise.all([one.stop(), other.stop()]);
  });
});
