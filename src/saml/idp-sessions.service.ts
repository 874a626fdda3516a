import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import { timeOrderedId } from '../encoding/time-ordered-id.js';
import type { Tx } from '../persistence/unit-of-work.js';
import { Random } from '../random/random.js';
import { SessionProperties } from '../token/session.properties.js';
import type { AssertionFacts, NameId } from './assertion.js';
import { IdpSessionStore } from './idp-session.store.js';

/** Sessions at identity providers that ours belong to. */
@Injectable()
export class IdpSessions {
  constructor(
    private readonly store: IdpSessionStore,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly lifetime: SessionProperties,
  ) {}

  /** Notes the one of an assertion; answers its id here. */
  async note(tx: Tx, idp: string, { issuer, nameId, authnStatement }: AssertionFacts): Promise<string> {
    const id = timeOrderedId(this.clock.millis(), this.random.bytes(10));
    const { sessionIndex } = authnStatement;
    await this.store.insert(tx, {
      id,
      idp,
      nameHash: nameHash(issuer, nameId),
      nameId: JSON.stringify(nameId ?? null),
      ...(sessionIndex !== undefined && { sessionIndex }),
      expiresAt: this.clock.seconds() + Math.ceil(this.lifetime.absolute.seconds),
    });
    return id;
  }
}

function nameHash(issuer: string, nameId: NameId | undefined): string {
  return createHash('sha256')
    .update(JSON.stringify([issuer, nameId?.value ?? null]))
    .digest('base64url');
}
