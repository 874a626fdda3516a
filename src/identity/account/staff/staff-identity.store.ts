import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import type { IdentityNames } from './staff-identity.js';

const ENTER = 'UPDATE staff_identity SET logins = logins + 1 WHERE id = ?';
const USER = 'SELECT user_id FROM staff_identity WHERE id = ?';
const INSERT = 'INSERT INTO staff_identity (id, user_id, issuer, person, logins, created_at) VALUES (?, ?, ?, ?, ?, ?)';

/** Values of a new identity. */
interface FirstSeen {
  readonly subject: string;
  /** 0 for a person who was admitted before the first login. */
  readonly logins: 0 | 1;
  /** Epoch seconds. */
  readonly now: number;
}

/** Table `staff_identity`: the accounts of persons by identity provider and name. */
@Injectable()
export class StaffIdentityStore {
  /** Returns the account of a person who signs in and locks the row; undefined for a new person. */
  async enter(tx: Tx, id: string): Promise<string | undefined> {
    // The change comes first: it waits for a concurrent insert of the same row, which the read then returns.
    if ((await tx.change(ENTER, [id])) === 0) return undefined;
    const [row] = await tx.rows<{ readonly user_id: string }>(USER, [id]);
    return row?.user_id;
  }

  /** False if the person exists already. */
  insert(tx: Tx, id: string, { issuer, person }: IdentityNames, { subject, logins, now }: FirstSeen): Promise<boolean> {
    return tx.insert(INSERT, [id, subject, issuer, person, logins, now]);
  }
}
