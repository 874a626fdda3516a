import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { Logger } from '../../logging/logger.js';
import { Loggers } from '../../logging/loggers.js';
import { Random } from '../../random/random.js';
import type { ScheduledTask } from '../../tasks/scheduled-task.js';
import { ScheduledTasks } from '../../tasks/scheduled-tasks.js';
import { watchFiles } from '../../tls/watched-files.js';
import { IdpMetadata } from './idp-metadata.service.js';
import { type IdpEntry, Idps } from './idps.service.js';
import { metadataSource } from './metadata-source.js';
import { refreshDelayMillis } from './refresh-delay.js';

/** An identity provider whose metadata are read again and again. */
interface Followed {
  readonly entry: IdpEntry;
  readonly task: ScheduledTask;
  /** Undefined for a URL. */
  readonly file: string | undefined;
  /** In a row. */
  failures: number;
  /** As they were told last. */
  told: string | undefined;
  timer: NodeJS.Timeout | undefined;
  running: Promise<void>;
  stopWatching: () => void;
}

/** Keeps what is known of identity providers up to date: files from the start on, URLs in the background. */
@Injectable()
export class MetadataRefresh implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  private readonly followed: readonly Followed[];
  private readonly logger: Logger;
  private readonly stopped = new AbortController();

  constructor(
    private readonly metadata: IdpMetadata,
    private readonly random: Random,
    idps: Idps,
    loggers: Loggers,
    tasks: ScheduledTasks,
  ) {
    this.logger = loggers.get('saml');
    this.followed = idps.entries
      .filter(({ properties }) => properties.metadata !== undefined)
      .map((entry) => follow(entry, tasks));
  }

  /** Of those whose metadata are read. */
  get names(): readonly string[] {
    return this.followed.map(({ entry }) => entry.cache.name);
  }

  /** Reads them once more now; nothing for an identity provider that has none. What is wrong is in the log. */
  async refreshNow(name: string): Promise<void> {
    const each = this.followed.find(({ entry }) => entry.cache.name === name);
    if (each) await this.now(each);
  }

  async onModuleInit(): Promise<void> {
    const inFiles = this.followed.filter(({ file }) => file !== undefined);
    await Promise.all(inFiles.map((each) => this.now(each)));
  }

  onApplicationBootstrap(): void {
    for (const each of this.followed) {
      if (each.file === undefined) each.running = this.begin(each);
      else each.stopWatching = watchFiles([each.file], () => void this.now(each));
    }
  }

  async onModuleDestroy(): Promise<void> {
    this.stopped.abort();
    for (const { timer, stopWatching } of this.followed) {
      clearTimeout(timer);
      stopWatching();
    }
    await Promise.all(this.followed.map(({ running }) => running));
  }

  private async begin(each: Followed): Promise<void> {
    await this.metadata.restore(each.entry);
    await this.turn(each);
  }

  /** After the turn that may be running. */
  private now(each: Followed): Promise<void> {
    clearTimeout(each.timer);
    each.running = each.running.then(() => this.turn(each));
    return each.running;
  }

  private async turn(each: Followed): Promise<void> {
    try {
      await each.task.run(() => this.metadata.refresh(each.entry, this.stopped.signal));
      this.tellRead(each);
      each.failures = 0;
    } catch (error) {
      this.tellFailed(each, error);
      each.failures += 1;
    }
    if (!this.stopped.signal.aborted) this.wait(each);
  }

  private wait(each: Followed): void {
    const { cache: known, properties } = each.entry;
    const read = {
      refreshSeconds: properties.metadataRefresh.seconds,
      cacheDurationSeconds: known.current?.cacheDurationSeconds,
      validUntil: known.current?.trust.validUntil,
      readAt: known.updatedAt,
    };
    const millis = refreshDelayMillis(read, each.failures, this.random.bytes(1).readUInt8() / 255);
    each.task.plan(millis);
    // One that a turn before this one has set would go on beside it for good.
    clearTimeout(each.timer);
    each.timer = setTimeout(() => void this.now(each), millis).unref();
  }

  /** What changed in them, and that they can be read again. */
  private tellRead(each: Followed): void {
    const { name, current: { trust, warnings = [] } = {} } = each.entry.cache;
    const state = JSON.stringify([trust?.entityId, trust?.sso, trust?.slo, trust?.certificates, warnings]);
    if (each.failures > 0 || each.told !== state) {
      const count = trust?.certificates.length ?? 0;
      const how = each.told !== undefined && each.told !== state ? 'Read changed metadata' : 'Read the metadata';
      const certificates = `${count} signing ${count === 1 ? 'certificate' : 'certificates'}`;
      this.logger.info(`${how} of the identity provider "${name}": ${trust?.entityId ?? ''}, ${certificates}`);
      for (const warning of warnings) this.logger.warn(`Metadata of the identity provider "${name}": ${warning}`);
    }
    each.told = state;
  }

  /** Once, however long it lasts. */
  private tellFailed({ entry: { cache: known }, failures }: Followed, error: unknown): void {
    if (failures > 0 || this.stopped.signal.aborted) return;
    const reason = error instanceof Error ? error.message : String(error);
    const kept = known.current ? 'what was known of it stays in use' : 'nobody can sign in through it';
    this.logger.warn(
      `The metadata of the identity provider "${known.name}" cannot be used, which is tried again and again; ${kept}: ${reason}`,
    );
  }
}

function follow(entry: IdpEntry, tasks: ScheduledTasks): Followed {
  const { cache: known, properties } = entry;
  const source = metadataSource(properties.metadata ?? '');
  const trigger =
    `${known.name}: at least every ${properties.metadataRefresh.seconds} s, cacheDuration of the metadata allowing; sooner ` +
    `after a failure${source.kind === 'file' ? ', and when the file has changed' : ''}`;
  return {
    entry,
    task: tasks.add('MetadataRefresh.refresh', { kind: 'custom', trigger }),
    file: source.kind === 'file' ? source.file : undefined,
    failures: 0,
    told: undefined,
    timer: undefined,
    running: Promise.resolve(),
    stopWatching: () => undefined,
  };
}
