import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { Logger } from '../../../observability/logging/logger.js';
import { Loggers } from '../../../observability/logging/loggers.js';
import { Random } from '../../../kernel/random/random.js';
import type { BackgroundLoop } from '../../../platform/tasks/repeat.js';
import { ScheduledTasks } from '../../../platform/tasks/scheduled-tasks.js';
import { watchFiles } from '../../../platform/tls/watched-files.js';
import { IdpMetadata } from './idp-metadata.service.js';
import { type IdpEntry, Idps } from './idps.service.js';
import { metadataSource } from './metadata-source.js';

const MIN_MILLIS = 60_000;
const FIRST_RETRY_MILLIS = 5000;

/** An identity provider whose metadata is read repeatedly. */
interface RefreshedIdp {
  readonly entry: IdpEntry;
  readonly loop: BackgroundLoop;
  /** Undefined for a URL. */
  readonly file: string | undefined;
}

/** What the log knows of an identity provider, so that it repeats neither a state nor a failure. */
interface LogState {
  read: string | undefined;
  hasFailed: boolean;
}

/** Keeps the metadata of identity providers up to date: files are read before the service opens, URLs in the background. */
@Injectable()
export class MetadataRefresh implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  private readonly refreshed: readonly RefreshedIdp[];
  private readonly logger: Logger;
  private stopWatching: readonly (() => void)[] = [];

  constructor(
    private readonly metadata: IdpMetadata,
    private readonly random: Random,
    idps: Idps,
    loggers: Loggers,
    private readonly tasks: ScheduledTasks,
  ) {
    this.logger = loggers.get('saml');
    this.refreshed = idps.entries
      .filter(({ properties }) => properties.metadata !== undefined)
      .map((entry) => this.repeat(entry));
  }

  /** The identity providers that have metadata. */
  get names(): readonly string[] {
    return this.refreshed.map(({ entry }) => entry.cache.name);
  }

  /** Reads the metadata once more now, if the identity provider has any. A failure is logged, not thrown. */
  async refreshNow(name: string): Promise<void> {
    await this.refreshed.find(({ entry }) => entry.cache.name === name)?.loop.runNow();
  }

  async onModuleInit(): Promise<void> {
    const fromFiles = this.refreshed.filter(({ file }) => file !== undefined);
    await Promise.all(fromFiles.map(({ loop }) => loop.runNow()));
  }

  onApplicationBootstrap(): void {
    this.stopWatching = this.refreshed.flatMap(({ file, loop }) =>
      file === undefined ? [] : [watchFiles([file], () => void loop.runNow())],
    );
  }

  onModuleDestroy(): void {
    for (const stop of this.stopWatching) stop();
  }

  private repeat(entry: IdpEntry): RefreshedIdp {
    const { cache, properties } = entry;
    const source = metadataSource(properties.metadata ?? '');
    const trigger =
      `${cache.name}: at least every ${properties.metadataRefresh.seconds} s, cacheDuration of the metadata allowing; sooner ` +
      `after a failure${source.kind === 'file' ? ', and when the file has changed' : ''}`;
    const log: LogState = { read: undefined, hasFailed: false };
    let isRestored = source.kind === 'file';
    const work = async (signal: AbortSignal): Promise<void> => {
      if (!isRestored) await this.metadata.restore(entry);
      isRestored = true;
      try {
        await this.metadata.refresh(entry, signal);
      } catch (error) {
        if (signal.aborted) return; // shutdown interrupted it
        throw error;
      }
      this.logRead(entry, log);
    };
    const delayMillis = (failures: number): number => this.delayMillis(entry, failures);
    const onFailure = (error: unknown): void => {
      this.logFailure(entry, log, error);
    };
    const schedule = { kind: 'custom', trigger, initialDelayMillis: 0, delayMillis, onFailure } as const;
    const loop = this.tasks.repeat('MetadataRefresh.refresh', schedule, work);
    return { entry, loop, file: source.kind === 'file' ? source.file : undefined };
  }

  private delayMillis({ cache, properties }: IdpEntry, failures: number): number {
    const { current, updatedAt } = cache;
    const read = {
      refreshSeconds: properties.metadataRefresh.seconds,
      cacheDurationSeconds: current?.cacheDurationSeconds,
      validUntil: current?.trust.validUntil,
      readAt: updatedAt,
    };
    return refreshDelayMillis(read, failures, this.random.bytes(1).readUInt8() / 255);
  }

  /** Logs metadata that changed, and metadata that can be read again. */
  private logRead({ cache }: IdpEntry, log: LogState): void {
    const { name, current: { trust, warnings = [] } = {} } = cache;
    const read = JSON.stringify([trust?.entityId, trust?.sso, trust?.slo, trust?.certificates, warnings]);
    if (log.hasFailed || log.read !== read) {
      const count = trust?.certificates.length ?? 0;
      const how = log.read !== undefined && log.read !== read ? 'Read changed metadata' : 'Read the metadata';
      const certificates = `${count} signing ${count === 1 ? 'certificate' : 'certificates'}`;
      this.logger.info(`${how} of the identity provider "${name}": ${trust?.entityId ?? ''}, ${certificates}`);
      for (const warning of warnings) this.logger.warn(`Metadata of the identity provider "${name}": ${warning}`);
    }
    log.read = read;
    log.hasFailed = false;
  }

  /** Logs only the first failure in a row. */
  private logFailure({ cache }: IdpEntry, log: LogState, error: unknown): void {
    if (log.hasFailed) return;
    log.hasFailed = true;
    const reason = error instanceof Error ? error.message : String(error);
    const effect = cache.current ? 'the previous metadata stays in use' : 'no user can sign in through it';
    this.logger.warn(
      `The metadata of the identity provider "${cache.name}" cannot be used and will be retried; ${effect}: ${reason}`,
    );
  }
}

/** The last reading of metadata, and its limits. */
interface Read {
  readonly refreshSeconds: number;
  readonly cacheDurationSeconds?: number | undefined;
  /** Both in milliseconds since 1970. */
  readonly validUntil?: number | undefined;
  readonly readAt?: number | undefined;
}

/**
 * Milliseconds until metadata is read again: not longer than cacheDuration (SAML metadata 2.3.1) nor half the time until
 * validUntil; short after a failure, and longer with each further one. `part` from 0 to 1 spreads replicas that started at
 * the same time.
 */
function refreshDelayMillis(read: Read, failures: number, part: number): number {
  const { refreshSeconds, cacheDurationSeconds = Infinity, validUntil = Infinity, readAt = 0 } = read;
  const usual = Math.min(refreshSeconds * 1000, cacheDurationSeconds * 1000, (validUntil - readAt) / 2);
  const longest = Math.max(usual, MIN_MILLIS);
  const wait = failures === 0 ? longest : Math.min(FIRST_RETRY_MILLIS * 2 ** (failures - 1), longest);
  return Math.round(wait * (0.75 + part / 4));
}
