import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Duration } from '../../../config/bind/duration.js';
import { expiringTable } from '../../../platform/persistence/expiring-tables.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import type { AssertionFacts } from './response/assertion.js';

expiringTable('used_assertion', 'id');

const INSERT = 'INSERT INTO used_assertion (id, expires_at) VALUES (?, ?)';

/**
 * Table `used_assertion`: the assertions and logout requests that have been used. A row stays until its message is too old to
 * be accepted anyway (SAML profiles 4.1.4.5).
 */
@Injectable()
export class UsedAssertionStore {
  /** True for the one transaction that uses the assertion. */
  use(
    tx: Tx,
    { issuer, id, issueInstant, conditions, confirmation }: AssertionFacts,
    { clockSkew, maxAssertionAge }: { readonly clockSkew: Duration; readonly maxAssertionAge: Duration },
  ): Promise<boolean> {
    const { notOnOrAfter = Infinity } = conditions;
    const { notOnOrAfter: confirmedUntil = Infinity } = confirmation;
    const end = Math.min(notOnOrAfter, confirmedUntil, issueInstant + maxAssertionAge.milliseconds);
    return this.insert(tx, [issuer, id], end + clockSkew.milliseconds);
  }

  /** True for the one transaction that uses the logout request, which never has the id of an assertion; `end` is in milliseconds. */
  useLogoutRequest(tx: Tx, { issuer, id }: Pick<AssertionFacts, 'issuer' | 'id'>, end: number): Promise<boolean> {
    return this.insert(tx, ['LogoutRequest', issuer, id], end);
  }

  private insert(tx: Tx, name: readonly string[], endMillis: number): Promise<boolean> {
    const id = createHash('sha256').update(JSON.stringify(name)).digest('base64url');
    return tx.insert(INSERT, [id, Math.ceil(endMillis / 1000) + 1]);
  }
}
