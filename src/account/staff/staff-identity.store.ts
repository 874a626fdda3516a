import { Injectable } from '@nestjs/common';
import type { Tx } from '../../persistence/unit-of-work.js';
import type { IdentityNames } from './staff-identity.js';

const ENTER = 'UPDATE staff_identity SET logins = logins + 1 WHERE id = ?';
const USER = 'SELECT user_id FROM staff_identity WHERE id = ?';
const INSERT = 'INSERT INTO staff_identity (id, user_id, issuer, person, logins, created_at) VALUES (?, ?, ?, ?, ?, ?)';

const DELETE_OF = 'DELETE FROM staff_identity WHERE user_id = ?';

/** How somebody came to be known. */
interface FirstSeen {
  readonly subject: string;
  /** None for somebody who was admitted before. */
  readonly logins: 0 | 1;
  /** Epoch seconds. */
  readonly now: number;
}

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

  /** Forgets by which names an account was known. */
  async deleteOf(tx: Tx, subject: string): Promise<void> {
    await tx.change(DELETE_OF, [subject]);
  }

  /** False where there is such a person already. */
  insert(tx: Tx, id: string, { issuer, person }: IdentityNames, { subject, logins, now }: FirstSeen): Promise<boolean> {
    return tx.insert(INSERT, [id, subject, issuer, person, logins, now]);
  }
}
