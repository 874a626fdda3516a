import type { ConnectionOptions } from 'node:tls';
import { Redis, type RedisOptions } from 'ioredis';
import type { KvstoreProperties } from './kvstore.properties.js';

/** Longest pause between two attempts to connect; a store that is back is used again within this time. */
const MAX_PAUSE_MILLIS = 1000;
const FIRST_PAUSE_MILLIS = 50;
/** Shows operators whose connections `CLIENT LIST` lists. */
const CONNECTION_NAME = 'login-service';

/** A client that connects at `connect()`, and again for ever after it lost the connection. */
export function redisClient(properties: KvstoreProperties, tls: ConnectionOptions | undefined): Redis {
  const client = new Redis({ ...optionsOf(properties), ...targetOf(properties, tls) });
  client.on('connect', () => {
    // ioredis handles the first error of a connection only. A store that rejects our certificate causes two: its alert and the
    // reset. Without a listener, the second one would end the process.
    client.stream.on('error', () => undefined);
  });
  return client;
}

function optionsOf({ timeout, connectTimeout, username, password, database }: KvstoreProperties): RedisOptions {
  const limit = Math.ceil(timeout.milliseconds);
  return {
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    db: database,
    lazyConnect: true,
    connectionName: CONNECTION_NAME,
    disableClientInfo: true,
    connectTimeout: Math.ceil(connectTimeout?.milliseconds ?? limit),
    commandTimeout: limit,
    // A store that is silent for so long may have vanished without closing the connection.
    socketTimeout: limit,
    // Without a connection, a command fails at once.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    // Whether the store ran a command before the connection broke is unknown: running it again could count twice.
    autoResendUnfulfilledCommands: false,
    retryStrategy: pauseAfter,
    sentinelRetryStrategy: pauseAfter,
    // After a fail-over, an old address may lead to a replica.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
  };
}

function targetOf(properties: KvstoreProperties, tls: ConnectionOptions | undefined): RedisOptions {
  const { host, port, sentinelMaster, sentinelNodes, sentinelUsername, sentinelPassword, timeout } = properties;
  if (sentinelMaster === undefined) {
    return { host, port, ...(tls && { tls }) };
  }
  return {
    name: sentinelMaster,
    sentinels: sentinelNodes.map(sentinelOf),
    ...(sentinelUsername !== undefined && { sentinelUsername }),
    ...(sentinelPassword !== undefined && { sentinelPassword }),
    sentinelCommandTimeout: Math.ceil(timeout.milliseconds),
    ...(tls && { tls, sentinelTLS: tls, enableTLSForSentinelMode: true }),
  };
}

function sentinelOf(node: string): { readonly host: string; readonly port: number } {
  const at = node.lastIndexOf(':');
  return { host: node.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(node.slice(at + 1)) };
}

function pauseAfter(failures: number): number {
  return Math.min(FIRST_PAUSE_MILLIS * 2 ** Math.min(failures - 1, 10), MAX_PAUSE_MILLIS);
}
