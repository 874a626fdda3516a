import { expect, it } from 'vitest';
import { needs } from '../../test/support/needs.js';
import { startRedis } from '../../test/support/redis.js';
import { KvstoreProperties } from './kvstore.properties.js';
import { redisClient } from './redis.client.js';

needs('redis')('the connection to a key-value store', () => {
  it('may report several errors, as a TLS store does that rejects a certificate', async () => {
    const server = await startRedis();
    const properties = Object.assign(new KvstoreProperties(), { host: '127.0.0.1', port: server.port });
    const client = redisClient(properties, undefined);
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { stream } = client;

      for (const name of ['alert', 'reset']) stream.emit('error', new Error(name));

      expect(stream.listenerCount('error')).toBeGreaterThan(0);
    } finally {
      client.disconnect();
      await server.stop();
    }
  });
});
