import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { expiringTable } from '../../persistence/expiring-tables.js';
import type { Tx } from '../../persistence/unit-of-work.js';

expiringTable('used_assertion', 'id');

const INSERT = 'INSERT INTO used_assertion (id, expires_at) VALUES (?, ?)';

/** Table `used_assertion`: what was taken once and would still be valid (SAML profiles 4.1.4.5). */
@Injectable()
export class UsedAssertionStore {
  /** False where it was used before; `name` is whose it is and its ID, `expiresAt` in epoch seconds. */
  insert(tx: Tx, name: readonly string[], expiresAt: number): Promise<boolean> {
    const id = createHash('sha256').update(JSON.stringify(name)).digest('base64url');
    return tx.insert(INSERT, [id, expiresAt]);
  }
}
