import { Injectable } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import type { Tx } from '../../persistence/unit-of-work.js';
import { Random } from '../../random/random.js';
import { Sealer } from '../../sealing/sealer.js';
import { keyOfDer, keyOfSecret, newPrivateKey, type SigningAlgorithm, type UsableKey } from './key-material.js';
import type { KeyPurpose } from './key-schedule.js';
import { SigningKeyStore, type StoredKey } from './signing-key.store.js';

/** A key that was made and has no place in a family yet. */
export interface MadeKey {
  readonly kid: string;
  readonly purpose: KeyPurpose;
  readonly algorithm: string;
  readonly sealed: string;
}

/** 256 bits, the least for HS256 (RFC 7518 section 3.2). */
const SECRET_BYTES = 32;
const SECRET_ID_BYTES = 16;

/** The signing keys of the database, whose private parts are sealed there. */
@Injectable()
export class SealedKeys {
  constructor(
    private readonly store: SigningKeyStore,
    private readonly sealer: Sealer,
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  all(tx: Tx): Promise<readonly StoredKey[]> {
    return this.store.all(tx);
  }

  /** Takes time for some algorithms: not for the inside of a transaction. */
  async make(purpose: KeyPurpose, algorithm: SigningAlgorithm): Promise<MadeKey> {
    for (;;) {
      const made = await this.draft(purpose, algorithm);
      // A command would take such an id for an option.
      if (!made.kid.startsWith('-')) return made;
    }
  }

  /** False where another process was first with a key behind the same ones. */
  insert(tx: Tx, made: MadeKey, before: readonly StoredKey[], signsFrom: number): Promise<boolean> {
    const generation = 1 + Math.max(0, ...before.map((key) => key.generation));
    const sealKey = this.sealer.keyIdOf(made.sealed);
    return this.store.insert(tx, { ...made, generation, sealKey, createdAt: this.clock.seconds(), signsFrom });
  }

  signNow(tx: Tx, kid: string): Promise<boolean> {
    return this.store.signNow(tx, kid, this.clock.seconds());
  }

  /** It signs no more, and verifies until the tokens it signed have ended. */
  retire(tx: Tx, kid: string): Promise<boolean> {
    return this.store.retire(tx, kid, this.clock.seconds());
  }

  /** What it signed counts no more. */
  delete(tx: Tx, kid: string): Promise<boolean> {
    return this.store.delete(tx, kid);
  }

  /**
   * Both parts come from what is sealed: a public key that somebody wrote into the database verifies nothing.
   * @throws SealFailure
   */
  open(stored: StoredKey): UsableKey {
    const bytes = this.sealer.open(stored.sealed, contextOf(stored));
    return stored.purpose === 'mfa' ? keyOfSecret(stored.kid, bytes) : keyOfDer(bytes);
  }

  isUnderActiveKey({ sealed }: StoredKey): boolean {
    return this.sealer.isUnderActiveKey(sealed);
  }

  /**
   * Seals a key under the active seal key; false where somebody else did so first.
   * @throws SealFailure
   */
  async reseal(tx: Tx, stored: StoredKey): Promise<boolean> {
    const context = contextOf(stored);
    const sealed = this.sealer.seal(this.sealer.open(stored.sealed, context), context);
    return this.store.reseal(tx, stored, sealed, this.sealer.activeKeyId);
  }

  private async draft(purpose: KeyPurpose, algorithm: SigningAlgorithm): Promise<MadeKey> {
    if (purpose === 'mfa') {
      const kid = this.random.text(SECRET_ID_BYTES);
      const sealed = this.sealer.seal(this.random.bytes(SECRET_BYTES), contextOf({ purpose, kid }));
      return { kid, purpose, algorithm: 'HS256', sealed };
    }
    const der = await newPrivateKey(algorithm);
    const { kid } = keyOfDer(der);
    const sealed = this.sealer.seal(der, contextOf({ purpose, kid }));
    return { kid, purpose, algorithm, sealed };
  }
}

function contextOf({ purpose, kid }: { readonly purpose: KeyPurpose; readonly kid: string }): string {
  return `signing-key:${purpose}:${kid}`;
}
