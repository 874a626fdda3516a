import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import { ConfigurationFailure, problem } from '../../config/problem.js';
import type { Logger } from '../../logging/logger.js';
import { Loggers } from '../../logging/loggers.js';
import { SealFailure } from '../../sealing/sealer.js';
import { ConfiguredKeys } from './configured-keys.js';
import type { PublicJwk, UsableKey } from './key-material.js';
import { currentOf, type KeyPurpose, statesAt } from './key-schedule.js';
import { KeyRotation } from './key-rotation.service.js';
import { SigningKeyStore, type StoredKey } from './signing-key.store.js';

/** Tokens with unknown key ids cost at most one read in this time. */
const UNKNOWN_KEY_MILLIS = 2000;

/** Shortened for the log, whose redaction masks whole ids as secrets. */
function shortIds(keys: readonly StoredKey[]): string {
  const ids = keys.map(({ kid }) => kid.slice(0, 8));
  return ids.toSorted().join(' ');
}

/** Cache of the signing keys: reloaded periodically, and when a token names an unknown key. */
@Injectable()
export class SigningKeys implements OnModuleInit {
  private stored: readonly StoredKey[] = [];
  private readonly opened = new Map<string, UsableKey>();
  private failure: SealFailure | undefined;
  private readAt = 0;
  private reading: Promise<void> | undefined;
  private readonly log: Logger;

  constructor(
    private readonly rotation: KeyRotation,
    private readonly store: SigningKeyStore,
    private readonly configured: ConfiguredKeys,
    private readonly clock: Clock,
    loggers: Loggers,
  ) {
    this.log = loggers.get('token');
  }

  /** @throws ConfigurationFailure if the signing key is sealed under a missing seal key */
  async onModuleInit(): Promise<void> {
    await this.rotation.keepUp();
    await this.reload();
    for (const purpose of ['access', 'mfa'] as const) {
      if (!this.currentOrNone(purpose)) throw this.unopened();
    }
  }

  /** The current signing key. */
  current(purpose: KeyPurpose): UsableKey {
    const key = this.currentOrNone(purpose);
    if (!key) throw new Error(`no key signs ${purpose} tokens`);
    return key;
  }

  /** The verification key with that id and purpose. */
  async find(purpose: KeyPurpose, kid: string): Promise<UsableKey | undefined> {
    const known = this.known(purpose, kid);
    if (known || Math.abs(this.clock.millis() - this.readAt) < UNKNOWN_KEY_MILLIS) return known;
    await this.reload();
    return this.known(purpose, kid);
  }

  /** Public keys of access tokens (RFC 7517 section 5): current, recent and next ones. */
  jwks(): { readonly keys: readonly PublicJwk[] } {
    const stored = this.verifying('access').flatMap(({ kid }) => this.opened.get(kid) ?? []);
    const all = new Map([...this.configured.all, ...stored].map((key) => [key.kid, key]));
    return { keys: [...all.values()].flatMap(({ jwk }) => (jwk ? [jwk] : [])) };
  }

  /** Reloads the keys; concurrent calls share one read. */
  reload(): Promise<void> {
    this.reading ??= this.read().finally(() => (this.reading = undefined));
    return this.reading;
  }

  private async read(): Promise<void> {
    this.readAt = this.clock.millis();
    const stored = await this.rotation.stored();
    for (const key of stored) this.open(key);
    const kids = new Set(stored.map(({ kid }) => kid));
    for (const kid of this.opened.keys()) if (!kids.has(kid)) this.opened.delete(kid);
    this.logChange(stored);
    this.stored = stored;
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

  private known(purpose: KeyPurpose, kid: string): UsableKey | undefined {
    const configured = purpose === 'access' ? this.configured.all.find((key) => key.kid === kid) : undefined;
    return configured ?? (this.verifying(purpose).some((key) => key.kid === kid) ? this.opened.get(kid) : undefined);
  }

  private verifying(purpose: KeyPurpose): readonly StoredKey[] {
    const states = statesAt(this.of(purpose), this.clock.seconds());
    return Array.from(states).flatMap(([key, state]) => (state === 'ended' ? [] : [key]));
  }

  private currentOrNone(purpose: KeyPurpose): UsableKey | undefined {
    if (purpose === 'access' && this.configured.signs) return this.configured.signs;
    const usable = this.of(purpose).filter(({ kid }) => this.opened.has(kid));
    const current = currentOf(usable, this.clock.seconds());
    return current && this.opened.get(current.kid);
  }

  private of(purpose: KeyPurpose): readonly StoredKey[] {
    return this.stored.filter((key) => key.purpose === purpose);
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
