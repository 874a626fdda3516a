import { Injectable } from '@nestjs/common';
import type { Duration } from '../../config/bind/duration.js';
import type { Tx } from '../../persistence/unit-of-work.js';
import type { AssertionFacts } from './assertion.js';
import { UsedAssertionStore } from './used-assertion.store.js';

/** Assertions count once (SAML profiles 4.1.4.5), and so do requests for a logout. */
@Injectable()
export class UsedAssertions {
  constructor(private readonly store: UsedAssertionStore) {}

  /** True for the one transaction that uses it; kept until it is too old to be taken anyway. */
  use(
    tx: Tx,
    { issuer, id, issueInstant, conditions, confirmation }: AssertionFacts,
    { clockSkew, maxAssertionAge }: { readonly clockSkew: Duration; readonly maxAssertionAge: Duration },
  ): Promise<boolean> {
    const { notOnOrAfter = Infinity } = conditions;
    const { notOnOrAfter: confirmedUntil = Infinity } = confirmation;
    const end = Math.min(notOnOrAfter, confirmedUntil, issueInstant + maxAssertionAge.milliseconds);
    return this.store.insert(tx, [issuer, id], secondsAfter(end + clockSkew.milliseconds));
  }

  /** The same of a request for a logout, whose ID is never taken for that of an assertion; `end` in milliseconds. */
  useLogoutRequest(tx: Tx, { issuer, id }: Pick<AssertionFacts, 'issuer' | 'id'>, end: number): Promise<boolean> {
    return this.store.insert(tx, ['LogoutRequest', issuer, id], secondsAfter(end));
  }
}

function secondsAfter(millis: number): number {
  return Math.ceil(millis / 1000) + 1;
}
