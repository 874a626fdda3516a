import { Injectable } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import { SecurityEvents } from '../../events/security-events.service.js';
import { type Tx, UnitOfWork } from '../../persistence/unit-of-work.js';
import { currentOf, expiryOfKey, type KeyPurpose, type KeyState, missingKey, statesAt, TERMS } from './key-schedule.js';
import type { SigningAlgorithm } from './key-material.js';
import { type GeneratedKey, SigningKeyStore, type StoredKey } from './signing-key.store.js';
import { TokenProperties } from '../token.properties.js';

/** A key as an operator sees it; instants in epoch seconds. */
export interface ListedKey {
  readonly kid: string;
  readonly purpose: KeyPurpose;
  readonly algorithm: string;
  readonly state: KeyState;
  /** Id of the key it is sealed under. */
  readonly sealKey: string;
  readonly createdAt: number;
  readonly signsFrom: number;
  /** When it stops to verify, where that is known. */
  readonly endsAt?: number;
}

/** The key that takes over. */
export interface Rotated {
  readonly purpose: KeyPurpose;
  readonly kid: string;
  readonly signsFrom: number;
  /** False where it was there already. */
  readonly isNew: boolean;
}

interface Change {
  /** Seconds until the new key signs. */
  readonly lead: number;
  readonly reason: string;
  readonly actor?: string;
}

const PURPOSES: readonly KeyPurpose[] = ['access', 'mfa'];

/** Makes, replaces and retires the signing keys of the database; of processes at once one does it. */
@Injectable()
export class KeyRotation {
  constructor(
    private readonly store: SigningKeyStore,
    private readonly work: UnitOfWork,
    private readonly events: SecurityEvents,
    private readonly clock: Clock,
    private readonly properties: TokenProperties,
  ) {}

  /** All keys of the database. */
  stored(): Promise<readonly StoredKey[]> {
    return this.work.single((tx) => this.store.all(tx));
  }

  /** Makes what is missing (at the first start), replaces what is old, deletes what has ended. */
  async keepUp(): Promise<void> {
    const all = await this.stored();
    for (const purpose of this.purposes) {
      const missing = missingKey(of(purpose, all), this.clock.seconds(), {
        algorithm: this.algorithmOf(purpose),
        rotation: this.properties.rotation.seconds,
      });
      const lead = missing === 'current' ? 0 : TERMS[purpose].lead;
      if (missing) await this.add(purpose, of(purpose, all), { lead, reason: 'schedule' });
    }
    for (const key of this.inState('ended', all)) await this.work.single((tx) => this.store.delete(tx, key.kid));
  }

  /**
   * Sees to it that every purpose has a next key, which is published first and signs later; with `atOnce` it signs from
   * now on, which verifiers that keep published keys for a while may refuse.
   */
  async rotate({
    actor,
    atOnce = false,
  }: {
    readonly actor: string;
    readonly atOnce?: boolean;
  }): Promise<readonly Rotated[]> {
    const rotated: Rotated[] = [];
    for (const purpose of this.purposes) {
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
   * Takes a key out of use; where it was the current one, the next takes its place at once. It verifies until its tokens
   * have ended, or, with `atOnce` for one that became known, no more. False where there is no such key.
   */
  async retire(kid: string, { actor, atOnce = false }: { actor: string; atOnce?: boolean }): Promise<boolean> {
    const known = (await this.stored()).find((key) => key.kid === kid);
    if (!known) return false;
    const spare = await this.store.generate(known.purpose, this.properties.algorithm);
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
    return PURPOSES.flatMap((purpose) => {
      const keys = of(purpose, all);
      return Array.from(statesAt(keys, this.clock.seconds()), ([key, state]) => {
        const { kid, algorithm, sealKey, createdAt, signsFrom } = key;
        const endsAt = expiryOfKey(key, keys);
        const facts = { kid, purpose, algorithm, state, sealKey, createdAt, signsFrom };
        return endsAt === undefined ? facts : { ...facts, endsAt };
      });
    });
  }

  /** Seals under the active seal key what is under another; answers how many keys that were. Can be run again. */
  reseal(actor: string): Promise<number> {
    return this.work.run(async (tx) => {
      let count = 0;
      for (const key of await this.store.all(tx)) {
        if (await this.store.reseal(tx, key)) count += 1;
      }
      // Once for all that is sealed: TOTP keys follow, in transactions of their own.
      await this.record(tx, 'resealed', actor);
      return count;
    });
  }

  /** Keys of the database sign no access tokens where an operator configured one. */
  private get purposes(): readonly KeyPurpose[] {
    return this.properties.ownKey === undefined ? PURPOSES : ['mfa'];
  }

  private algorithmOf(purpose: KeyPurpose): SigningAlgorithm | 'HS256' {
    return purpose === 'mfa' ? 'HS256' : this.properties.algorithm;
  }

  /** Puts a new key behind those that were read; false where another process was faster. */
  private async add(
    purpose: KeyPurpose,
    before: readonly StoredKey[],
    { lead, reason, actor }: Change,
  ): Promise<boolean> {
    const made = await this.store.generate(purpose, this.properties.algorithm);
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

  /** Where nothing signs: the next key, or else the one that was made for the case. */
  private async putInPlace(tx: Tx, spare: GeneratedKey, left: readonly StoredKey[]): Promise<void> {
    const [waiting] = this.inState('next', left);
    if (waiting) await this.store.signNow(tx, waiting.kid);
    else await this.store.insert(tx, spare, left, this.clock.seconds());
  }

  private inState(wanted: KeyState, keys: readonly StoredKey[]): readonly StoredKey[] {
    const now = this.clock.seconds();
    return PURPOSES.flatMap((purpose) => [...statesAt(of(purpose, keys), now)])
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
