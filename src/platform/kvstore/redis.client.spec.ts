import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { needs } from '../../../test/support/runner/needs.js';
import { startRedis } from '../../../test/support/database/redis.js';
import { waitUntil } from '../../../test/support/runner/wait-until.js';
import { KvstoreProperties } from './kvstore.properties.js';
import { redisClient } from './redis.client.js';

const ended: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end();
});

/** A server that accepts connections and never completes a handshake. */
async function silentPort(): Promise<number> {
  const server = createServer((socket) => ended.push(() => socket.destroy()));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  ended.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

function connecting(target: Partial<KvstoreProperties>, tls?: object): ReturnType<typeof redisClient> {
  const client = redisClient(Object.assign(new KvstoreProperties(), { host: '127.0.0.1', ...target }), tls);
  client.on('error', () => undefined);
  ended.push(() => {
    client.disconnect();
  });
  return client;
}

/** Throws if the second error has no listener, which would end the process. */
function failTwice(stream: Socket): void {
  for (const name of ['the certificate', 'an alert']) stream.emit('error', new Error(name));
}

needs('redis')('an open connection to a key-value store', () => {
  it('outlives a second error', async () => {
    const server = await startRedis();
    ended.push(() => server.stop());
    const client = connecting({ port: server.port });
    await client.connect();

    expect(() => {
      failTwice(client.stream);
    }).not.toThrow();
  });
});

it('a TLS handshake with a key-value store outlives a second error', async () => {
  const client = connecting({ port: await silentPort() }, {});
  client.connect().catch(() => undefined);
  const stream = await waitUntil('the connection is attempted', () => client.stream as Socket | undefined);

  expect(() => {
    failTwice(stream);
  }).not.toThrow();
});

it('a TLS handshake with a sentinel outlives a second error', async () => {
  const client = connecting({ sentinelMaster: 'login', sentinelNodes: [`127.0.0.1:${await silentPort()}`] }, {});
  const { connector } = client as unknown as {
    readonly connector: { connectToSentinel: (endpoint: object) => typeof client };
  };
  const connectToSentinel = connector.connectToSentinel.bind(connector);
  const sentinels: (typeof client)[] = [];
  connector.connectToSentinel = (endpoint) => {
    const sentinel = connectToSentinel(endpoint);
    sentinels.push(sentinel);
    return sentinel;
  };
  client.connect().catch(() => undefined);
  const stream = await waitUntil('the connection is attempted', () => sentinels[0]?.stream as Socket | undefined);

  expect(() => {
    failTwice(stream);
  }).not.toThrow();
});
