import { Injectable } from '@nestjs/common';
import type { Duration } from '../config/duration.js';
import type { Tx } from '../persistence/unit-of-work.js';
import type { AssertionFacts } from './assertion.js';
import { UsedAssertionStore } from './used-assertion.store.js';

/** Assertions count once (SAML profiles 4.1.4.5). */
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
    return this.store.insert(tx, issuer, id, Math.ceil((end + clockSkew.milliseconds) / 1000) + 1);
  }
}
