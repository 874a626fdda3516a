import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { SecurityEvents } from '../../events/security-events.service.js';
import { type Tx, UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import {
  currentOf,
  expiryOfKey,
  KEY_PURPOSES,
  type KeyPurpose,
  missingKey,
  type SigningKeyState,
  statesAt,
  TERMS,
} from './signing-keys.js';
import { KeyPolicy } from './key-policy.service.js';
import { type GeneratedKey, SigningKeyStore, type StoredKey } from './signing-key.store.js';

/** A key as operators see it; instants in epoch seconds. */
export interface ListedKey {
  readonly kid: string;
  readonly purpose: KeyPurpose;
  readonly algorithm: string;
  readonly state: SigningKeyState;
  /** Id of the seal key. */
  readonly sealKey: string;
  readonly createdAt: number;
  readonly signsFrom: number;
  /** When the key stops verifying tokens, if that is known. */
  readonly endsAt?: number;
}

/** The key that signs next. */
export interface Rotated {
  readonly purpose: KeyPurpose;
  readonly kid: string;
  readonly signsFrom: number;
  /** False if the key existed already. */
  readonly isNew: boolean;
}

interface Change {
  /** Seconds until the new key signs. */
  readonly lead: number;
  readonly reason: string;
  readonly actor?: string;
}

/** Generates, rotates and retires the signing keys of the database; concurrent processes do each step once. */
@Injectable()
export class KeyRotation {
  constructor(
    private readonly store: SigningKeyStore,
    private readonly work: UnitOfWork,
    private readonly events: SecurityEvents,
    private readonly clock: Clock,
    private readonly policy: KeyPolicy,
  ) {}

  /** The purposes of which the database must hold a key. */
  get needed(): readonly KeyPurpose[] {
    return this.policy.needed;
  }

  /** All keys of the database. */
  stored(): Promise<readonly StoredKey[]> {
    return this.work.single((tx) => this.store.all(tx));
  }

  /** Generates missing keys (on first start), rotates old keys and deletes expired ones. */
  async keepUp(): Promise<void> {
    const all = await this.stored();
    for (const purpose of this.policy.needed) {
      const missing = missingKey(of(purpose, all), this.clock.seconds(), {
        algorithm: this.policy.algorithmOf(purpose),
        rotation: this.policy.rotation,
      });
      const lead = missing === 'current' ? 0 : TERMS[purpose].lead;
      if (missing) await this.add(purpose, of(purpose, all), { lead, reason: 'schedule' });
    }
    for (const key of this.inState('ended', all)) await this.work.single((tx) => this.store.delete(tx, key.kid));
  }

  /**
   * Ensures that every purpose has a next key, which is published first and signs later. With `atOnce` it signs
   * immediately; verifiers that cache the published keys may then reject tokens for a while.
   */
  async rotate({
    actor,
    atOnce = false,
  }: {
    readonly actor: string;
    readonly atOnce?: boolean;
  }): Promise<readonly Rotated[]> {
    const rotated: Rotated[] = [];
    for (const purpose of this.policy.needed) {
      const lead = atOnce ? 0 : TERMS[purpose].lead;
      const before = await this.stored();
      const [waiting] = this.inState('next', of(purpose, before));
      const isNew = !waiting && (await this.add(purpose, of(purpose, before), { lead, reason: 'rotated', actor }));
      if (waiting && atOnce) await this.bringForward(waiting, actor);
      const all = of(purpose, await this.stored());
      const newest = all.filter(({ retiredAt }) => retiredAt === undefined).at(-1);
      if (newest) rotated.push({ purpose, kid: newest.kid, signsFrom: newest.signsFrom, isNew });
    }
    return rotated;
  }

  /**
   * Retires a key; the next key replaces a current one immediately. A retired key verifies until its tokens have expired;
   * with `atOnce`, for a compromised key, it is deleted. False if there is no such key.
   */
  async retire(kid: string, { actor, atOnce = false }: { actor: string; atOnce?: boolean }): Promise<boolean> {
    const known = (await this.stored()).find((key) => key.kid === kid);
    if (!known) return false;
    const spare = await this.store.generate(known.purpose, this.policy.algorithmOf(known.purpose));
    return this.work.run(async (tx) => {
      const isDone = await (atOnce ? this.store.delete(tx, kid) : this.store.retire(tx, kid));
      if (!isDone) return false;
      const left = of(known.purpose, await this.store.all(tx));
      if (!currentOf(left, this.clock.seconds())) await this.putInPlace(tx, spare, left);
      await this.record(tx, atOnce ? 'withdrawn' : 'retired', actor);
      return true;
    });
  }

  async list(): Promise<readonly ListedKey[]> {
    const all = await this.stored();
    return KEY_PURPOSES.flatMap((purpose) => {
      const keys = of(purpose, all);
      return Array.from(statesAt(keys, this.clock.seconds()), ([key, state]) => {
        const { kid, algorithm, sealKey, createdAt, signsFrom } = key;
        const endsAt = expiryOfKey(key, keys);
        const facts = { kid, purpose, algorithm, state, sealKey, createdAt, signsFrom };
        return endsAt === undefined ? facts : { ...facts, endsAt };
      });
    });
  }

  /** Seals all keys under the active seal key; returns the number of changed keys. Can be repeated. */
  reseal(actor: string): Promise<number> {
    return this.work.run(async (tx) => {
      let count = 0;
      for (const key of await this.store.all(tx)) {
        if (await this.store.reseal(tx, key)) count += 1;
      }
      // One event for all sealed values: TOTP keys follow in transactions of their own.
      await this.record(tx, 'resealed', actor);
      return count;
    });
  }

  /** Adds a key after those that were read; false if another process was first. */
  private async add(
    purpose: KeyPurpose,
    before: readonly StoredKey[],
    { lead, reason, actor }: Change,
  ): Promise<boolean> {
    const made = await this.store.generate(purpose, this.policy.algorithmOf(purpose));
    return this.work.run(async (tx) => {
      const isFirst = await this.store.insert(tx, made, before, this.clock.seconds() + lead);
      if (isFirst) await this.record(tx, reason, actor);
      return isFirst;
    });
  }

  private async bringForward({ kid }: StoredKey, actor: string): Promise<void> {
    await this.work.run(async (tx) => {
      if (await this.store.signNow(tx, kid)) await this.record(tx, 'rotated', actor);
    });
  }

  /** Replaces a missing current key by the next key or, without one, by the spare key. */
  private async putInPlace(tx: Tx, spare: GeneratedKey, left: readonly StoredKey[]): Promise<void> {
    const [waiting] = this.inState('next', left);
    if (waiting) await this.store.signNow(tx, waiting.kid);
    else await this.store.insert(tx, spare, left, this.clock.seconds());
  }

  private inState(wanted: SigningKeyState, keys: readonly StoredKey[]): readonly StoredKey[] {
    const now = this.clock.seconds();
    return KEY_PURPOSES.flatMap((purpose) => [...statesAt(of(purpose, keys), now)])
      .filter(([, state]) => state === wanted)
      .map(([key]) => key);
  }

  private record(tx: Tx, reason: string, actor?: string): Promise<void> {
    return this.events.record(tx, { kind: 'KEY_ROTATED', reason, ...(actor !== undefined && { actor }) });
  }
}

function of(purpose: KeyPurpose, keys: readonly StoredKey[]): readonly StoredKey[] {
  return keys.filter((key) => key.purpose === purpose);
}
