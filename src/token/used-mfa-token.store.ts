import { Injectable } from '@nestjs/common';
import { expiringTable } from '../persistence/expiring-tables.js';
import type { Tx } from '../persistence/unit-of-work.js';

expiringTable('used_mfa_token', 'jti');

const INSERT = 'INSERT INTO used_mfa_token (jti, expires_at) VALUES (?, ?)';

/** Table `used_mfa_token`: `mfa_token`s that completed a login. */
@Injectable()
export class UsedMfaTokenStore {
  /** False if the token was used before. */
  insert(tx: Tx, jti: string, expiresAt: number): Promise<boolean> {
    return tx.insert(INSERT, [jti, expiresAt]);
  }
}
