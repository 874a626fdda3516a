import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { ConfigurationFailure, problem } from '../../../config/problem.js';
import type { Logger } from '../../../observability/logging/logger.js';
import { Loggers } from '../../../observability/logging/loggers.js';
import { WORKS_ON_EXISTING_STATE } from '../../../platform/persistence/schema/schema-setup.js';
import { SealFailure } from '../../../platform/sealing/sealer.js';
import { ScheduledTasks } from '../../../platform/tasks/scheduled-tasks.js';
import type { UsableKey } from './key-material.js';
import { KeyRotation } from './key-rotation.service.js';
import { SigningKeyStore, type StoredKey } from './signing-key.store.js';
import { SigningKeys } from './signing-keys.js';

const INTERVAL_MILLIS = 30_000;
/** Tokens with unknown key ids cost at most one read in this time. */
const UNKNOWN_KEY_MILLIS = 2000;

/** Reads and opens the signing keys of the database for `SigningKeys`. */
@Injectable()
export class SigningKeyLoader {
  private stored: readonly StoredKey[] = [];
  private readonly opened = new Map<string, UsableKey>();
  private failure: SealFailure | undefined;
  private readAt = 0;
  private reading: Promise<void> | undefined;
  private readonly log: Logger;

  constructor(
    private readonly rotation: KeyRotation,
    private readonly store: SigningKeyStore,
    private readonly keys: SigningKeys,
    private readonly clock: Clock,
    loggers: Loggers,
  ) {
    this.log = loggers.get('token');
    keys.loadUnknownWith(() => this.reloadUnlessRecent());
  }

  /** Reloads the keys; concurrent calls share one read. */
  reload(): Promise<void> {
    this.reading ??= this.read().finally(() => (this.reading = undefined));
    return this.reading;
  }

  /** @throws ConfigurationFailure if a signing key is sealed under a missing seal key */
  requireCurrent(): void {
    if (this.rotation.needed.some((purpose) => !this.keys.currentOrNone(purpose))) throw this.unopened();
  }

  private async reloadUnlessRecent(): Promise<void> {
    if (Math.abs(this.clock.millis() - this.readAt) >= UNKNOWN_KEY_MILLIS) await this.reload();
  }

  private async read(): Promise<void> {
    this.readAt = this.clock.millis();
    const stored = await this.rotation.stored();
    for (const key of stored) this.open(key);
    const kids = new Set(stored.map(({ kid }) => kid));
    for (const kid of this.opened.keys()) if (!kids.has(kid)) this.opened.delete(kid);
    this.logChange(stored);
    this.stored = stored;
    this.keys.replace(stored.map((key) => withUsable(key, this.opened.get(key.kid))));
  }

  /** Logs changes only, since keys are reloaded all the time. */
  private logChange(stored: readonly StoredKey[]): void {
    const [before, now] = [this.stored, stored].map((keys) => shortIds(keys));
    if (before === now) return;
    const unopened = shortIds(stored.filter(({ kid }) => !this.opened.has(kid)));
    this.log.debug('The keys that sign tokens have changed', { before, now, unopened });
  }

  /** An opened key stays usable when it is resealed under a key that this process does not have. */
  private open(key: StoredKey): void {
    if (this.opened.has(key.kid)) return;
    try {
      this.opened.set(key.kid, this.store.open(key));
    } catch (error) {
      if (!(error instanceof SealFailure)) throw error;
      this.failure = error;
    }
  }

  private unopened(): ConfigurationFailure {
    const keyId = this.failure?.keyId ?? '';
    return new ConfigurationFailure([
      problem(
        'The key that signs tokens cannot be opened',
        `Set app.security.seal.keys.${keyId} to the key of that id.`,
        { Property: `app.security.seal.keys.${keyId}`, Reason: this.failure?.message },
      ),
    ]);
  }
}

/**
 * Keeps the signing keys current, and reloads them so that a key from another process is known before it signs. A failed
 * turn keeps the keys in use.
 */
@Injectable()
export class SigningKeyRefresh implements OnModuleInit {
  constructor(
    private readonly rotation: KeyRotation,
    private readonly loader: SigningKeyLoader,
    tasks: ScheduledTasks,
    @Inject(WORKS_ON_EXISTING_STATE) private readonly worksOnExisting = false,
  ) {
    tasks.repeat(
      'SigningKeyRefresh.refresh',
      { kind: 'fixedRate', initialDelayMillis: INTERVAL_MILLIS, intervalMillis: INTERVAL_MILLIS },
      () => this.refresh(),
    );
  }

  /** @throws ConfigurationFailure if a signing key is sealed under a missing seal key */
  async onModuleInit(): Promise<void> {
    if (this.worksOnExisting) return this.loader.reload();
    await this.refresh();
    this.loader.requireCurrent();
  }

  private async refresh(): Promise<void> {
    await this.rotation.keepUp();
    await this.loader.reload();
  }
}

function withUsable(key: StoredKey, usable: UsableKey | undefined): StoredKey & { readonly usable?: UsableKey } {
  return usable ? { ...key, usable } : key;
}

/** Shortened for the log, whose redaction masks whole ids as secrets. */
function shortIds(keys: readonly StoredKey[]): string {
  const ids = keys.map(({ kid }) => kid.slice(0, 8));
  return ids.toSorted().join(' ');
}
