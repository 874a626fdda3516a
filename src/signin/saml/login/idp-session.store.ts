import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { Random, timeOrderedId } from '../../../kernel/random/random.js';
import { expiringTable } from '../../../platform/persistence/expiring-tables.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import { SessionProperties } from '../../../identity/session/session.properties.js';
import type { AssertionFacts, NameId } from './response/assertion.js';
import { IdpSessionEntity } from './idp-session.entity.js';

expiringTable('idp_session', 'id');

/** A session at an identity provider, as stated in its assertion. */
interface IdpSession {
  readonly id: string;
  readonly idp: string;
  /** With its qualifiers, as it must be sent back; undefined if the assertion had none. */
  readonly nameId: NameId | undefined;
  readonly sessionIndex?: string;
}

const COLUMNS = 'id, idp, name_hash, name_id, session_index, expires_at';
const INSERT = `INSERT INTO idp_session (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`;
const FIND = `SELECT ${COLUMNS} FROM idp_session WHERE id = ?`;
const OF_NAME = `SELECT ${COLUMNS} FROM idp_session WHERE name_hash = ?`;

/** Table `idp_session`: for single logout, which names users as their identity provider does. */
@Injectable()
export class IdpSessionStore {
  constructor(
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly lifetime: SessionProperties,
  ) {}

  /** Stores the session of an assertion and returns its id here. */
  async add(tx: Tx, idp: string, { issuer, nameId, authnStatement }: AssertionFacts): Promise<string> {
    const id = timeOrderedId(this.clock.millis(), this.random.bytes(10));
    const name = [nameHash(issuer, nameId), JSON.stringify(nameId ?? null)];
    await tx.change(INSERT, [id, idp, ...name, authnStatement.sessionIndex ?? null, this.expiry()]);
    return id;
  }

  async find(tx: Tx, id: string): Promise<IdpSession | undefined> {
    const [row] = await tx.rows<IdpSessionEntity>(FIND, [id]);
    return row && sessionOf(row);
  }

  /** The sessions of all users with this name at an issuer, whatever the format and the qualifiers of the NameID. */
  async ofName(tx: Tx, issuer: string, nameId: NameId): Promise<readonly IdpSession[]> {
    return (await tx.rows<IdpSessionEntity>(OF_NAME, [nameHash(issuer, nameId)])).map(sessionOf);
  }

  /**
   * In epoch seconds: a half-authenticated session can become a full one just before it expires, and the row must outlive that
   * session.
   */
  private expiry(): number {
    const { enrolmentTimeout, absolute } = this.lifetime;
    return this.clock.seconds() + Math.ceil(enrolmentTimeout.seconds + absolute.seconds);
  }
}

/** A hash, because names may be long. */
function nameHash(issuer: string, nameId: NameId | undefined): string {
  return createHash('sha256')
    .update(JSON.stringify([issuer, nameId?.value ?? null]))
    .digest('base64url');
}

function sessionOf({ id, idp, name_id, session_index }: IdpSessionEntity): IdpSession {
  return {
    ...{ id, idp, nameId: nameIdOf(name_id) },
    ...withoutUndefined({ sessionIndex: session_index ?? undefined }),
  };
}

function nameIdOf(text: string): NameId | undefined {
  const written = JSON.parse(text) as (Pick<NameId, 'value'> & Partial<NameId>) | null;
  if (written === null) return undefined;
  const { value, format, nameQualifier, spNameQualifier } = written;
  return { value, format, nameQualifier, spNameQualifier };
}
