import { Injectable } from '@nestjs/common';
import { expiringTable } from '../../persistence/expiring-tables.js';
import type { Tx } from '../../persistence/unit-of-work.js';

expiringTable('idp_session', 'id');

/** A session at an identity provider, as stated in its assertion. */
interface IdpSession {
  readonly id: string;
  readonly idp: string;
  /** Hash of issuer and NameID, which may be long. */
  readonly nameHash: string;
  /** NameID with its qualifiers, as it must be sent back. */
  readonly nameId: string;
  readonly sessionIndex?: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

interface Row {
  readonly id: string;
  readonly idp: string;
  readonly name_hash: string;
  readonly name_id: string;
  readonly session_index: string | null;
  readonly expires_at: number;
}

const COLUMNS = 'id, idp, name_hash, name_id, session_index, expires_at';
const INSERT = `INSERT INTO idp_session (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`;
const FIND = `SELECT ${COLUMNS} FROM idp_session WHERE id = ?`;
const OF_NAME = `SELECT ${COLUMNS} FROM idp_session WHERE name_hash = ?`;

/** Table `idp_session`: for single logout, which names users as their identity provider does. */
@Injectable()
export class IdpSessionStore {
  async insert(tx: Tx, { id, idp, nameHash, nameId, sessionIndex, expiresAt }: IdpSession): Promise<void> {
    await tx.change(INSERT, [id, idp, nameHash, nameId, sessionIndex ?? null, expiresAt]);
  }

  async find(tx: Tx, id: string): Promise<IdpSession | undefined> {
    const [row] = await tx.rows<Row>(FIND, [id]);
    return row && sessionOf(row);
  }

  async ofName(tx: Tx, nameHash: string): Promise<readonly IdpSession[]> {
    return (await tx.rows<Row>(OF_NAME, [nameHash])).map(sessionOf);
  }
}

function sessionOf({ id, idp, name_hash, name_id, session_index, expires_at }: Row): IdpSession {
  return {
    id,
    idp,
    nameHash: name_hash,
    nameId: name_id,
    ...(session_index !== null && { sessionIndex: session_index }),
    expiresAt: expires_at,
  };
}
