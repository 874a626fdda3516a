import { Injectable } from '@nestjs/common';
import { expiringTable } from '../../../platform/persistence/expiring-tables.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import type { SignInHour } from './sign-in-hour.js';

expiringTable('sign_in_count', 'hour', 0);

const ADD = 'INSERT INTO sign_in_count (hour, completed, failed, expires_at) VALUES (?, ?, ?, ?)';
const SINCE = 'SELECT hour, completed, failed FROM sign_in_count WHERE hour >= ? ORDER BY hour';
const LAST = 'SELECT MAX(hour) AS hour FROM sign_in_count';

/** The table `sign_in_count`. */
@Injectable()
export class SignInCountStore {
  /** False if another replica has counted the hour. */
  add(tx: Tx, { hour, completed, failed }: SignInHour, expiresAt: number): Promise<boolean> {
    return tx.insert(ADD, [hour, completed, failed, expiresAt]);
  }

  /** The counted hours from one on, oldest first. */
  since(tx: Tx, hour: number): Promise<readonly SignInHour[]> {
    return tx.rows<SignInHour>(SINCE, [hour]);
  }

  /** The latest counted hour; undefined without any. */
  async last(tx: Tx): Promise<number | undefined> {
    return (await tx.rows<{ readonly hour: number | null }>(LAST))[0]?.hour ?? undefined;
  }
}
