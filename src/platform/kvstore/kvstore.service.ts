import { createHash } from 'node:crypto';
import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { ConnectionOptions } from 'node:tls';
import type { Redis } from 'ioredis';
import { Clock } from '../../kernel/clock/clock.js';
import { withTimeout } from '../../kernel/clock/with-timeout.js';
import { Configuration } from '../../config/configuration.js';
import type { Logger } from '../../observability/logging/logger.js';
import { Loggers } from '../../observability/logging/loggers.js';
import type { Family } from '../../observability/metrics/family.js';
import type { Timer } from '../../observability/metrics/meter.js';
import { Meters } from '../../observability/metrics/meters.js';
import type { ClientTls } from '../tls/client-tls.js';
import { KVSTORE_BUNDLE, KvstoreProperties } from './kvstore.properties.js';

/** Commands of the service; `send` accepts no others, since they are the values of a tag. */
export type Command = 'GET' | 'SET' | 'DEL' | 'UNLINK' | 'SCAN' | 'INFO' | 'PING';

type Argument = string | number | Buffer;

/** A Lua program that the key-value store runs as one step, and its name in meters. */
export class Script {
  /** The store knows a program by its SHA-1. */
  readonly digest: string;

  constructor(
    readonly name: string,
    readonly text: string,
  ) {
    this.digest = createHash('sha1').update(text).digest('hex');
  }
}

/**
 * The connection to the key-value store. Its package is loaded only if a store is configured. A command fails at once while
 * there is no connection, and after `app.data.kvstore.timeout` otherwise; it is never repeated.
 */
@Injectable()
export class Kvstore implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly isConfigured: boolean;
  private readonly log: Logger;
  private readonly commands: Family<Timer> | undefined;
  /** The connection outlives the request that happens to open it. */
  private readonly inBackground = AsyncLocalStorage.snapshot();
  private client: Promise<Redis> | undefined;
  /** The client that `client` resolves to, set before its first connection is open. */
  private redis: Redis | undefined;
  private tls: ClientTls | undefined;
  private lastError: Error | undefined;
  private isReported = false;
  private isClosing = false;

  constructor(
    private readonly properties: KvstoreProperties,
    private readonly configuration: Configuration,
    private readonly clock: Clock,
    loggers: Loggers,
    meters: Meters,
  ) {
    this.isConfigured = properties.sentinelNodes.length > 0 || configuration.isSet('app.data.kvstore.host');
    this.log = loggers.get('kvstore');
    if (!this.isConfigured) return;
    const description = 'Commands to the key-value store until their response or failure.';
    this.commands = meters.timer('kvstore.command', { description });
  }

  /** Maximum time that a command takes, in milliseconds. */
  get timeoutMillis(): number {
    return this.properties.timeout.milliseconds;
  }

  /** Connects before the first request; startup does not wait for it. */
  onApplicationBootstrap(): void {
    if (this.isConfigured) void this.connected().catch(() => undefined);
  }

  async onApplicationShutdown(): Promise<void> {
    this.isClosing = true;
    // Also ends the wait for the first connection.
    this.redis?.disconnect();
    await this.client?.catch(() => undefined);
    this.tls?.close();
  }

  /** Resolves to the response. @throws Error if the store does not respond in time, or rejects the command */
  send(command: Command, ...args: readonly Argument[]): Promise<unknown> {
    return this.timed(command, (client) => client.call(command, ...args));
  }

  /** Runs a program, which the store keeps from its first run on. @throws Error as `send` */
  run({ name, digest, text }: Script, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    return this.timed(name, async (client) => {
      try {
        return await client.call('EVALSHA', digest, keys.length, ...keys, ...args);
      } catch (error) {
        // A restarted store has lost the script.
        if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
        return client.call('EVAL', text, keys.length, ...keys, ...args);
      }
    });
  }

  private async timed(command: string, run: (client: Redis) => Promise<unknown>): Promise<unknown> {
    const startedAt = this.clock.millis();
    let outcome = 'error';
    try {
      const response = await run(await this.ready());
      outcome = 'success';
      this.reportReturn();
      return response;
    } finally {
      this.commands?.of({ command, outcome }).record((this.clock.millis() - startedAt) / 1000);
    }
  }

  private async ready(): Promise<Redis> {
    const client = await this.connected();
    if (client.status === 'ready') return client;
    throw this.lastError ?? new Error('there is no connection to the key-value store');
  }

  /** The client after its first attempt to connect, for which callers wait, but not longer than for a command. */
  private connected(): Promise<Redis> {
    if (!this.isConfigured) throw new TypeError('no key-value store is configured');
    if (this.isClosing) return Promise.reject(closed());
    this.client ??= this.inBackground(() => this.open());
    return this.client;
  }

  private async open(): Promise<Redis> {
    try {
      return await this.connect();
    } catch (error) {
      // The files of the bundle may be incomplete while they are replaced: the next command reads them again.
      this.client = undefined;
      this.lastError = error instanceof Error ? error : new Error(String(error));
      this.reportLoss();
      throw error;
    }
  }

  private async connect(): Promise<Redis> {
    const { redisClient } = await import('./redis.client.js');
    const client = redisClient(this.properties, await this.tlsOptions());
    if (this.isClosing) throw closed();
    this.redis = client;
    client.on('error', (error: Error) => {
      this.lastError = error;
      // If all sentinels are unavailable, no connection is closed.
      this.reportLoss();
    });
    client.on('close', () => {
      this.reportLoss();
    });
    client.on('ready', () => {
      this.lastError = undefined;
    });
    const isConnected = client.connect().catch(() => undefined);
    await withTimeout(isConnected, this.timeoutMillis, () => undefined);
    return client;
  }

  /** TLS options; undefined without TLS. A reloaded bundle is used from the next connection on. */
  private async tlsOptions(): Promise<ConnectionOptions | undefined> {
    const { isEncrypted, sslBundle: name } = this.properties;
    if (!isEncrypted) return undefined;
    if (name === undefined) return {};
    const { SslBundles } = await import('../tls/ssl-bundles.service.js');
    const bundles = new SslBundles(this.configuration, this.clock);
    this.tls = bundles.openClient({ key: KVSTORE_BUNDLE, name }, this.log);
    return this.tls.options;
  }

  /** Logs the loss of the connection: one line for each outage, not for each attempt to connect. */
  private reportLoss(): void {
    if (this.isReported || this.isClosing) return;
    this.isReported = true;
    this.log.warn('The key-value store does not respond', {
      failure: this.lastError?.message ?? 'the connection was closed',
    });
  }

  /**
   * Logs the end of an outage at the first successful command, not at the new connection: a store that became read-only
   * accepts it, and the next write replaces it again.
   */
  private reportReturn(): void {
    if (!this.isReported) return;
    this.isReported = false;
    this.log.info('The key-value store responds again');
  }
}

function closed(): Error {
  return new Error('the connection to the key-value store is closed');
}
