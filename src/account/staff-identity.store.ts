import { Injectable } from '@nestjs/common';
import type { Tx } from '../persistence/unit-of-work.js';
import type { IdentityNames } from './staff-identity.js';

const ENTER = 'UPDATE staff_identity SET logins = logins + 1 WHERE id = ?';
const USER = 'SELECT user_id FROM staff_identity WHERE id = ?';
const INSERT = 'INSERT INTO staff_identity (id, user_id, issuer, person, logins, created_at) VALUES (?, ?, ?, ?, 1, ?)';

/** Table `staff_identity`: whom an identity provider means by a name. */
@Injectable()
export class StaffIdentityStore {
  /** The account of a person who signs in, whose row is held from here on; undefined for somebody new. */
  async enter(tx: Tx, id: string): Promise<string | undefined> {
    // The change comes first: it waits for somebody who makes the same row, and what is read after it is theirs.
    if ((await tx.change(ENTER, [id])) === 0) return undefined;
    const [row] = await tx.rows<{ readonly user_id: string }>(USER, [id]);
    return row?.user_id;
  }

  /** False where somebody else was first. */
  insert(tx: Tx, id: string, { issuer, person }: IdentityNames, subject: string, now: number): Promise<boolean> {
    return tx.insert(INSERT, [id, subject, issuer, person, now]);
  }
}
