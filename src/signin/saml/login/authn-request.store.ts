import { Injectable } from '@nestjs/common';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { expiringTable } from '../../../platform/persistence/expiring-tables.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import type { RequestedContext } from './response/authn-context.js';
import { SamlRequestEntity } from './saml-request.entity.js';

/** Rows are deleted 60 s after they expire, for clocks that differ; anyone can create rows, so none is kept for longer. */
expiringTable('saml_request', 'id', 60);

/** A login that waits for the response of an identity provider. */
export interface PendingRequest {
  /** ID of the AuthnRequest. */
  readonly id: string;
  readonly idp: string;
  readonly browserHash: string;
  /** The value of RelayState, which must come back. */
  readonly relayState: string;
  /** A path of this service. */
  readonly returnTo: string;
  readonly requested: RequestedContext & { readonly isAcr: boolean; readonly isForced: boolean };
  /** The account that must come back; set for a step-up. */
  readonly subject?: string;
  /** The session that the browser had, which ends when the new one begins. */
  readonly sid?: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

const COLUMNS = 'id, idp, browser_hash, relay_state, return_to, asked, user_id, session_id, expires_at';
const INSERT = `INSERT INTO saml_request (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const LIVE = `SELECT ${COLUMNS} FROM saml_request WHERE id = ? AND idp = ? AND expires_at > ?`;
const USE = 'DELETE FROM saml_request WHERE id = ? AND idp = ? AND browser_hash = ? AND expires_at > ?';

/** Table `saml_request`, which all replicas share. */
@Injectable()
export class AuthnRequestStore {
  async insert(tx: Tx, pending: PendingRequest): Promise<void> {
    const { id, idp, browserHash, relayState, returnTo, requested, subject = null, sid = null, expiresAt } = pending;
    const facts = [returnTo, JSON.stringify(requested), subject, sid, expiresAt];
    await tx.change(INSERT, [id, idp, browserHash, relayState, ...facts]);
  }

  async find(tx: Tx, id: string, idp: string, now: number): Promise<PendingRequest | undefined> {
    const [row] = await tx.rows<SamlRequestEntity>(LIVE, [id, idp, now]);
    return row && pendingOf(row);
  }

  /** True only for the one response that uses the request. */
  async use(tx: Tx, { id, idp, browserHash }: PendingRequest, now: number): Promise<boolean> {
    return (await tx.change(USE, [id, idp, browserHash, now])) === 1;
  }
}

function pendingOf(row: SamlRequestEntity): PendingRequest {
  return {
    id: row.id,
    idp: row.idp,
    browserHash: row.browser_hash,
    relayState: row.relay_state,
    returnTo: row.return_to,
    requested: JSON.parse(row.asked) as PendingRequest['requested'],
    ...withoutUndefined({ subject: row.user_id ?? undefined, sid: row.session_id ?? undefined }),
    expiresAt: row.expires_at,
  };
}
