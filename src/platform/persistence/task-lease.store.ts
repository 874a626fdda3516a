import { Injectable } from '@nestjs/common';
import type { Tx } from './unit-of-work.js';

/** The lease of a task. Without a holder, no replica takes the task before `expires_at` (milliseconds since 1970). */
export interface StoredLease {
  readonly holder: string | null;
  readonly fence: number;
  readonly expires_at: number;
}

const FIND = 'SELECT holder, fence, expires_at FROM task_lease WHERE task = ?';
const ADD = 'INSERT INTO task_lease (task, holder, fence, expires_at) VALUES (?, ?, 1, ?)';
/** Matches a lease that no replica has taken, renewed or ended since it was read. */
const TAKE = `UPDATE task_lease SET holder = ?, fence = fence + 1, expires_at = ?
  WHERE task = ? AND fence = ? AND expires_at = ?`;
const RENEW = 'UPDATE task_lease SET expires_at = ? WHERE task = ? AND holder = ? AND fence = ?';
const RELEASE = 'UPDATE task_lease SET holder = NULL, expires_at = ? WHERE task = ? AND holder = ? AND fence = ?';

/** The table `task_lease`. */
@Injectable()
export class TaskLeaseStore {
  async find(tx: Tx, task: string): Promise<StoredLease | undefined> {
    const [row] = await tx.rows<StoredLease>(FIND, [task]);
    return row;
  }

  /** Takes a task that has no row yet, with the fence 1; false if another replica was first. */
  add(tx: Tx, task: string, holder: string, expiresAt: number): Promise<boolean> {
    return tx.insert(ADD, [task, holder, expiresAt]);
  }

  /** Takes a lease as it was read; the fence rises by one. False if another replica was first. */
  async take(tx: Tx, task: string, holder: string, expiresAt: number, read: StoredLease): Promise<boolean> {
    return (await tx.change(TAKE, [holder, expiresAt, task, read.fence, read.expires_at])) === 1;
  }

  /** Renews the lease; false if it was lost. */
  async renew(tx: Tx, task: string, holder: string, fence: number, expiresAt: number): Promise<boolean> {
    return (await tx.change(RENEW, [expiresAt, task, holder, fence])) === 1;
  }

  /** Ends the lease; false if it was lost before. */
  async release(tx: Tx, task: string, holder: string, fence: number, expiresAt: number): Promise<boolean> {
    return (await tx.change(RELEASE, [expiresAt, task, holder, fence])) === 1;
  }
}
