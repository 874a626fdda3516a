import type { Clock } from '../../../kernel/clock/clock.js';
import type { PublicJwk, UsableKey } from './key-material.js';
import { currentOf, type KeyPurpose, type ScheduledKey, statesAt } from './key-schedule.js';

/** A key of the database with its schedule; `usable` is absent if this process cannot open the key. */
export interface LoadedKey extends ScheduledKey {
  readonly usable?: UsableKey;
}

/** Keys for access tokens that the configuration provides. */
interface ProvidedKeys {
  /** The signing key, which replaces those in the database. */
  readonly signs: UsableKey | undefined;
  /** All verification keys, the signing key first. */
  readonly all: readonly UsableKey[];
}

/** The keys that sign and verify tokens now, in memory; `SigningKeyLoader` loads them. */
export class SigningKeys {
  private loaded: readonly LoadedKey[] = [];
  private loadUnknown: () => Promise<void> = () => Promise.resolve();

  constructor(
    private readonly configured: ProvidedKeys,
    private readonly clock: Clock,
  ) {}

  /** Sets the function that loads keys of other processes when a token names an unknown one. */
  loadUnknownWith(load: () => Promise<void>): void {
    this.loadUnknown = load;
  }

  /** Replaces the keys of the database. */
  replace(loaded: readonly LoadedKey[]): void {
    this.loaded = loaded;
  }

  /** The current signing key. */
  current(purpose: KeyPurpose): UsableKey {
    const key = this.currentOrNone(purpose);
    if (!key) throw new Error(`no key signs ${purpose} tokens`);
    return key;
  }

  /** Undefined if this process cannot open any signing key of the purpose. */
  currentOrNone(purpose: KeyPurpose): UsableKey | undefined {
    if (purpose === 'access' && this.configured.signs) return this.configured.signs;
    const usable = this.of(purpose).filter((key) => key.usable);
    return currentOf(usable, this.clock.seconds())?.usable;
  }

  /** The verification key with that id and purpose. */
  async find(purpose: KeyPurpose, kid: string): Promise<UsableKey | undefined> {
    const known = this.known(purpose, kid);
    if (known) return known;
    await this.loadUnknown();
    return this.known(purpose, kid);
  }

  /** Public keys of access tokens (RFC 7517 section 5): current, recent and next ones. */
  jwks(): { readonly keys: readonly PublicJwk[] } {
    const all = new Map([...this.configured.all, ...this.verifying('access')].map((key) => [key.kid, key]));
    return { keys: [...all.values()].flatMap(({ jwk }) => (jwk ? [jwk] : [])) };
  }

  private known(purpose: KeyPurpose, kid: string): UsableKey | undefined {
    const configured = purpose === 'access' ? this.configured.all.find((key) => key.kid === kid) : undefined;
    return configured ?? this.verifying(purpose).find((key) => key.kid === kid);
  }

  private verifying(purpose: KeyPurpose): readonly UsableKey[] {
    const states = statesAt(this.of(purpose), this.clock.seconds());
    return Array.from(states).flatMap(([{ usable }, state]) => (state === 'ended' || !usable ? [] : [usable]));
  }

  private of(purpose: KeyPurpose): readonly LoadedKey[] {
    return this.loaded.filter((key) => key.purpose === purpose);
  }
}
