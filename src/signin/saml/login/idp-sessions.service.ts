import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { Random, timeOrderedId } from '../../../kernel/random/random.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import { SessionProperties } from '../../../identity/session/session.properties.js';
import type { AssertionFacts } from './response/assertion.js';
import { IdpSessionStore } from './idp-session.store.js';

/** Records the sessions at identity providers to which sessions of this service belong. */
@Injectable()
export class IdpSessions {
  constructor(
    private readonly store: IdpSessionStore,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly lifetime: SessionProperties,
  ) {}

  /** Records the session of an assertion and returns its id here. */
  async record(tx: Tx, idp: string, { issuer, nameId, authnStatement }: AssertionFacts): Promise<string> {
    const id = timeOrderedId(this.clock.millis(), this.random.bytes(10));
    // A half-authenticated session can become a full one just before it expires; the row must outlive that session.
    const { enrolmentTimeout, absolute } = this.lifetime;
    const lifetimeSeconds = Math.ceil(enrolmentTimeout.seconds + absolute.seconds);
    const expiresAt = this.clock.seconds() + lifetimeSeconds;
    const { sessionIndex } = authnStatement;
    await this.store.insert(tx, issuer, { id, idp, nameId, expiresAt, ...withoutUndefined({ sessionIndex }) });
    return id;
  }
}
