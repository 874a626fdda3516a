import type { Clock } from '../../../kernel/clock/clock.js';
import type { PublicJwk, UsableKey } from './key-material.js';

/** Purposes of signing keys: access tokens, `mfa_token`s, and ID tokens by each of their algorithms. */
export const KEY_PURPOSES = ['access', 'mfa', 'id', 'id-es256'] as const;
export type KeyPurpose = (typeof KEY_PURPOSES)[number];

/** Times of a key of the database; instants in epoch seconds. */
export interface ScheduledKey {
  readonly kid: string;
  readonly purpose: KeyPurpose;
  /** Rises with every key of a purpose. */
  readonly generation: number;
  readonly createdAt: number;
  readonly signsFrom: number;
  /** Set if an operator retired the key. */
  readonly retiredAt?: number;
}

export type SigningKeyState = 'next' | 'current' | 'retired' | 'ended';

interface Terms {
  /** Time between the publication of a key and its first signature, in seconds. */
  readonly lead: number;
  /** Time a retired key still verifies: the longest life of a token, and what clocks may differ. */
  readonly overlap: number;
}

/** Allowance for clock skew: a replica whose clock is slow signs with the previous key for this long. */
const SKEW_SECONDS = 300;

/**
 * Verifiers cache the published keys for a while (authentication.md, 2.8); only our replicas need the secret of
 * `mfa_token`s. The overlap uses the maximum of `app.security.token.access-lifetime`, so that a change of that key
 * invalidates no token early.
 */
export const TERMS: Readonly<Record<KeyPurpose, Terms>> = {
  access: { lead: 86_400, overlap: 3600 + SKEW_SECONDS },
  mfa: { lead: SKEW_SECONDS, overlap: 180 + SKEW_SECONDS },
  id: { lead: 86_400, overlap: 3600 + SKEW_SECONDS },
  'id-es256': { lead: 86_400, overlap: 3600 + SKEW_SECONDS },
};

/** The state of every key of one purpose at an instant, in the order of generations. */
export function statesAt<K extends ScheduledKey>(keys: readonly K[], now: number): ReadonlyMap<K, SigningKeyState> {
  const ordered = keys.toSorted(byGeneration);
  const current = currentOf(ordered, now);
  return new Map(ordered.map((key) => [key, key === current ? 'current' : stateOf(key, ordered, now)]));
}

/**
 * The newest key whose time to sign has come. If there is none, the first key: a clock that was set back must not leave
 * the service without a signing key.
 */
export function currentOf<K extends ScheduledKey>(keys: readonly K[], now: number): K | undefined {
  const usable = keys.filter(({ retiredAt }) => retiredAt === undefined).toSorted(byGeneration);
  return usable.findLast(({ signsFrom }) => signsFrom <= now) ?? usable.at(0);
}

/** When a key stops verifying tokens; undefined while it signs or will sign. */
export function expiryOfKey(key: ScheduledKey, keys: readonly ScheduledKey[]): number | undefined {
  const successors = keys.filter(({ generation, retiredAt }) => generation > key.generation && retiredAt === undefined);
  const lastSignature = Math.min(key.retiredAt ?? Infinity, ...successors.map(({ signsFrom }) => signsFrom));
  return lastSignature === Infinity ? undefined : lastSignature + TERMS[key.purpose].overlap;
}

function stateOf(key: ScheduledKey, keys: readonly ScheduledKey[], now: number): SigningKeyState {
  if (key.signsFrom > now && key.retiredAt === undefined) return 'next';
  const end = expiryOfKey(key, keys);
  return end === undefined || end > now ? 'retired' : 'ended';
}

/** The key that a purpose lacks: one that signs now, or one that takes over later; undefined if none is missing. */
export function missingKey(
  keys: readonly (ScheduledKey & { readonly algorithm: string })[],
  now: number,
  wanted: { readonly algorithm: string; readonly rotation: number },
): 'current' | 'next' | undefined {
  const newest = keys
    .filter(({ retiredAt }) => retiredAt === undefined)
    .toSorted(byGeneration)
    .at(-1);
  if (!newest || !currentOf(keys, now)) return 'current';
  if (newest.algorithm !== wanted.algorithm) return 'next';
  const isDue = wanted.rotation > 0 && newest.signsFrom + wanted.rotation - TERMS[newest.purpose].lead <= now;
  return isDue && newest.signsFrom <= now ? 'next' : undefined;
}

function byGeneration(a: ScheduledKey, b: ScheduledKey): number {
  return a.generation - b.generation;
}

/** A key of the database with its schedule; `usable` is absent if this process cannot open the key. */
export interface LoadedKey extends ScheduledKey {
  readonly usable?: UsableKey;
}

/** The purposes whose public keys are published. */
const PUBLISHED: readonly KeyPurpose[] = KEY_PURPOSES.filter((purpose) => purpose !== 'mfa');

/** Keys for access tokens that the configuration provides. */
interface ProvidedKeys {
  /** The signing key, which replaces those in the database. */
  readonly signs: UsableKey | undefined;
  /** All verification keys, the signing key first. */
  readonly all: readonly UsableKey[];
}

/** The keys of one purpose at an instant. */
interface KeysNow {
  /** Epoch seconds. */
  readonly at: number;
  readonly verifying: readonly UsableKey[];
  readonly current: UsableKey | undefined;
}

/** The keys that sign and verify tokens now, in memory; `SigningKeyLoader` loads them. */
export class SigningKeys {
  private loaded: readonly LoadedKey[] = [];
  private loadUnknown: () => Promise<void> = () => Promise.resolve();
  /** The keys of the database in this second: every request needs them. */
  private readonly now = new Map<KeyPurpose, KeysNow>();

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
    this.now.clear();
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
    return this.keysNow(purpose).current;
  }

  /** The verification key with that id and purpose. */
  async find(purpose: KeyPurpose, kid: string): Promise<UsableKey | undefined> {
    const known = this.known(purpose, kid);
    if (known) return known;
    await this.loadUnknown();
    return this.known(purpose, kid);
  }

  /** Public keys of access and ID tokens (RFC 7517 section 5): current, recent and next ones. */
  jwks(): { readonly keys: readonly PublicJwk[] } {
    const stored = PUBLISHED.flatMap((purpose) => this.verifying(purpose));
    const all = new Map([...this.configured.all, ...stored].map((key) => [key.kid, key]));
    return { keys: [...all.values()].flatMap(({ jwk }) => (jwk ? [jwk] : [])) };
  }

  private known(purpose: KeyPurpose, kid: string): UsableKey | undefined {
    const configured = purpose === 'access' ? this.configured.all.find((key) => key.kid === kid) : undefined;
    return configured ?? this.verifying(purpose).find((key) => key.kid === kid);
  }

  private verifying(purpose: KeyPurpose): readonly UsableKey[] {
    return this.keysNow(purpose).verifying;
  }

  private keysNow(purpose: KeyPurpose): KeysNow {
    const at = this.clock.seconds();
    const known = this.now.get(purpose);
    if (known?.at === at) return known;
    const keys = this.loaded.filter((key) => key.purpose === purpose);
    const verifying = Array.from(statesAt(keys, at)).flatMap(([{ usable }, state]) =>
      state === 'ended' || !usable ? [] : [usable],
    );
    const openable = keys.filter((key) => key.usable);
    const keysNow = { at, verifying, current: currentOf(openable, at)?.usable };
    this.now.set(purpose, keysNow);
    return keysNow;
  }
}
