import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import { Random } from '../../../kernel/random/random.js';
import { Sealer } from '../../../platform/sealing/sealer.js';
import { keyOfDer, keyOfSecret, newPrivateKey, type UsableKey } from './key-material.js';
import type { KeyPurpose, ScheduledKey } from './signing-keys.js';
import type { SigningKeyEntity } from './signing-key.entity.js';

/** A generated key that is not stored yet. */
export interface GeneratedKey {
  readonly kid: string;
  readonly purpose: KeyPurpose;
  readonly algorithm: string;
  readonly sealed: string;
}

/** A stored key: purpose and times are plain text, the key itself is sealed. */
export interface StoredKey extends ScheduledKey {
  readonly algorithm: string;
  readonly sealed: string;
  readonly sealKey: string;
}

/** 256 bits, the minimum for HS256 (RFC 7518 section 3.2). */
const SECRET_BYTES = 32;
const SECRET_ID_BYTES = 16;

const COLUMNS = 'id, purpose, generation, algorithm, sealed, seal_key, created_at, signs_from, retired_at';
const ALL = `SELECT ${COLUMNS} FROM signing_key ORDER BY purpose, generation`;
const INSERT = `INSERT INTO signing_key
  (id, purpose, generation, algorithm, sealed, seal_key, created_at, signs_from)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
const SIGN_NOW = 'UPDATE signing_key SET signs_from = ? WHERE id = ? AND signs_from > ? AND retired_at IS NULL';
const RETIRE = 'UPDATE signing_key SET retired_at = ? WHERE id = ? AND retired_at IS NULL';
const DELETE = 'DELETE FROM signing_key WHERE id = ?';
const RESEAL = 'UPDATE signing_key SET sealed = ?, seal_key = ? WHERE id = ? AND sealed = ?';

/** Table `signing_key`, which holds private keys and secrets sealed. */
@Injectable()
export class SigningKeyStore {
  constructor(
    private readonly sealer: Sealer,
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  async all(tx: Tx): Promise<readonly StoredKey[]> {
    return (await tx.rows<SigningKeyEntity>(ALL)).map((row) => ({
      kid: row.id,
      purpose: row.purpose,
      generation: row.generation,
      algorithm: row.algorithm,
      sealed: row.sealed,
      sealKey: row.seal_key,
      createdAt: row.created_at,
      signsFrom: row.signs_from,
      ...(row.retired_at !== null && { retiredAt: row.retired_at }),
    }));
  }

  /** Generating is slow for some algorithms: call it outside of transactions. */
  async generate(purpose: KeyPurpose, algorithm: UsableKey['algorithm']): Promise<GeneratedKey> {
    for (;;) {
      const key = await this.generateOne(purpose, algorithm);
      // A command line would parse such an id as an option.
      if (!key.kid.startsWith('-')) return key;
    }
  }

  /** Adds the generation after `before`; false if another process has added it first. */
  insert(tx: Tx, key: GeneratedKey, before: readonly StoredKey[], signsFrom: number): Promise<boolean> {
    const { kid, purpose, algorithm, sealed } = key;
    const generation = 1 + Math.max(0, ...before.map((stored) => stored.generation));
    const times = [this.clock.seconds(), signsFrom];
    return tx.insert(INSERT, [kid, purpose, generation, algorithm, sealed, this.sealer.keyIdOf(sealed), ...times]);
  }

  /** Moves the first signature of the next key to now. */
  async signNow(tx: Tx, kid: string): Promise<boolean> {
    const now = this.clock.seconds();
    return (await tx.change(SIGN_NOW, [now, kid, now])) === 1;
  }

  /** A retired key no longer signs, but verifies until the tokens that it signed have expired. */
  async retire(tx: Tx, kid: string): Promise<boolean> {
    return (await tx.change(RETIRE, [this.clock.seconds(), kid])) === 1;
  }

  /** Tokens that a deleted key signed become invalid. */
  async delete(tx: Tx, kid: string): Promise<boolean> {
    return (await tx.change(DELETE, [kid])) === 1;
  }

  /**
   * Both parts come from the sealed text: a public key that someone writes into the database verifies nothing.
   * @throws SealFailure
   */
  open(stored: StoredKey): UsableKey {
    const bytes = this.sealer.open(stored.sealed, contextOf(stored));
    return stored.purpose === 'mfa' ? keyOfSecret(stored.kid, bytes) : keyOfDer(bytes);
  }

  /**
   * Seals a key under the active seal key; false if it is sealed under that already, was deleted, or was sealed again
   * by another process.
   * @throws SealFailure
   */
  async reseal(tx: Tx, stored: StoredKey): Promise<boolean> {
    if (this.sealer.isUnderActiveKey(stored.sealed)) return false;
    const context = contextOf(stored);
    const sealed = this.sealer.seal(this.sealer.open(stored.sealed, context), context);
    return (await tx.change(RESEAL, [sealed, this.sealer.activeKeyId, stored.kid, stored.sealed])) === 1;
  }

  private async generateOne(purpose: KeyPurpose, algorithm: UsableKey['algorithm']): Promise<GeneratedKey> {
    if (algorithm === 'HS256') {
      const kid = this.random.text(SECRET_ID_BYTES);
      const sealed = this.sealer.seal(this.random.bytes(SECRET_BYTES), contextOf({ purpose, kid }));
      return { kid, purpose, algorithm, sealed };
    }
    const der = await newPrivateKey(algorithm);
    const { kid } = keyOfDer(der);
    const sealed = this.sealer.seal(der, contextOf({ purpose, kid }));
    return { kid, purpose, algorithm, sealed };
  }
}

/** Ties the sealed text to its row. */
function contextOf({ purpose, kid }: { readonly purpose: KeyPurpose; readonly kid: string }): string {
  return `signing-key:${purpose}:${kid}`;
}
