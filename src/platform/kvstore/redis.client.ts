import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { Redis, type RedisOptions } from 'ioredis';
import type { KvstoreProperties } from './kvstore.properties.js';

/** Maximum pause between two attempts to connect; a store that is available again is used within this time. */
const MAX_PAUSE_MILLIS = 1000;
const FIRST_PAUSE_MILLIS = 50;
/** Name of the connections in `CLIENT LIST`. */
const CONNECTION_NAME = 'login-service';

/** Members of ioredis that its types hide. */
interface Connecting {
  readonly connector: {
    /** The newest connection; set as soon as its socket exists. */
    stream: Socket | undefined;
    /** Defined if the store is behind sentinels. */
    connectToSentinel?: (...args: readonly unknown[]) => Connecting;
  };
}

/** Creates a client that connects at `connect()`, and reconnects indefinitely after it lost the connection. */
export function redisClient(properties: KvstoreProperties, tls: ConnectionOptions | undefined): Redis {
  const client = new Redis({ ...optionsOf(properties), ...targetOf(properties, tls) });
  outliveErrors(client as unknown as Connecting);
  return client;
}

/**
 * ioredis handles the first error of a connection only. With TLS, a connection may have two: if the service closes it during
 * the handshake, the untrusted certificate and an alert of the store; otherwise the alert and the reset. Without another
 * listener, the second one would end the process.
 */
function outliveErrors({ connector }: Connecting): void {
  let current = connector.stream;
  Object.defineProperty(connector, 'stream', {
    get: () => current,
    set: (stream: Socket) => {
      current = stream.on('error', () => undefined);
    },
  });
  const toSentinel = connector.connectToSentinel?.bind(connector);
  if (!toSentinel) return;
  connector.connectToSentinel = (...args) => {
    const sentinel = toSentinel(...args);
    outliveErrors(sentinel);
    return sentinel;
  };
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
    // Closes a silent connection: the store may have vanished without closing it.
    socketTimeout: limit,
    // Without a connection, a command fails at once.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    // Does not repeat a command after a disconnect: the store may have run it, and it could count twice.
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
