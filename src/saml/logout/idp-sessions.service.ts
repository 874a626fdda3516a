import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import { timeOrderedId } from '../../encoding/time-ordered-id.js';
import type { Tx } from '../../persistence/unit-of-work.js';
import { Random } from '../../random/random.js';
import { HALF_AUTHENTICATED_SECONDS } from '../../session/session.js';
import { SessionProperties } from '../../session/session.properties.js';
import type { AssertionFacts, NameId } from '../login/assertion.js';
import { IdpSessionStore } from './idp-session.store.js';
import { isSameName, type LogoutRequestFacts } from './logout-message.js';
import type { SessionAtIdp } from './logout-xml.js';

/** The sessions at identity providers to which sessions of this service belong. */
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
    const { sessionIndex } = authnStatement;
    await this.store.insert(tx, {
      id,
      idp,
      nameHash: nameHash(issuer, nameId),
      nameId: JSON.stringify(nameId ?? null),
      ...(sessionIndex !== undefined && { sessionIndex }),
      // A half-authenticated session can become a full one just before it expires; the row must outlive that session.
      expiresAt: this.clock.seconds() + HALF_AUTHENTICATED_SECONDS + Math.ceil(this.lifetime.absolute.seconds),
    });
    return id;
  }

  /** The session with this id; undefined if the assertion had no NameID. */
  async find(tx: Tx, id: string): Promise<SessionAtIdp | undefined> {
    const found = await this.store.find(tx, id);
    const nameId = found && parseNameId(found.nameId);
    const { sessionIndex } = found ?? {};
    return nameId && { nameId, ...(sessionIndex !== undefined && { sessionIndex }) };
  }

  /** Ids of the sessions that a request names by NameID and, if it has any, by session indexes (SAML core 3.7.3.2). */
  async findMatching(tx: Tx, idp: string, request: LogoutRequestFacts): Promise<readonly string[]> {
    const { issuer, nameId, sessionIndexes } = request;
    const all = await this.store.ofName(tx, nameHash(issuer, nameId));
    const meant = all.filter((session) => {
      const known = parseNameId(session.nameId);
      if (session.idp !== idp || !known || !isSameName(known, nameId, issuer)) return false;
      return sessionIndexes.length === 0 || sessionIndexes.includes(session.sessionIndex ?? '');
    });
    return meant.map(({ id }) => id);
  }
}

/** Parses what `record` has written. */
function parseNameId(text: string): NameId | undefined {
  const written = JSON.parse(text) as (Pick<NameId, 'value'> & Partial<NameId>) | null;
  if (written === null) return undefined;
  const { value, format, nameQualifier, spNameQualifier } = written;
  return { value, format, nameQualifier, spNameQualifier };
}

function nameHash(issuer: string, nameId: NameId | undefined): string {
  return createHash('sha256')
    .update(JSON.stringify([issuer, nameId?.value ?? null]))
    .digest('base64url');
}
