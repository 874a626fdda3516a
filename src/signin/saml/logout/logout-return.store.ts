import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';

/** How long a user may take at the identity provider. */
const SECONDS = 300;

/** No login has an empty hash of its browser, so no login response is accepted for such a row. */
const INSERT = `INSERT INTO saml_request (id, idp, browser_hash, relay_state, return_to, asked, user_id, expires_at)
  VALUES (?, ?, '', '', ?, 'null', ?, ?)`;
const FIND = `SELECT return_to FROM saml_request WHERE id = ? AND idp = ? AND browser_hash = '' AND expires_at > ?`;

/** A logout that waits for the response of an identity provider, to continue at a path or address of an application. */
export interface PendingLogout {
  /** ID of the LogoutRequest. */
  readonly id: string;
  readonly idp: string;
  readonly subject: string;
  readonly returnTo: string;
}

/**
 * Table `saml_request`, rows of logouts. RelayState is no place for an address: it has 80 bytes (SAML bindings 3.4.3), and some identity
 * providers do not return it.
 */
@Injectable()
export class LogoutReturnStore {
  constructor(private readonly clock: Clock) {}

  async insert(tx: Tx, { id, idp, subject, returnTo }: PendingLogout): Promise<void> {
    await tx.change(INSERT, [keyOf(id), idp, returnTo, subject, this.clock.seconds() + SECONDS]);
  }

  async find(tx: Tx, id: string, idp: string): Promise<string | undefined> {
    const [row] = await tx.rows<{ readonly return_to: string }>(FIND, [keyOf(id), idp, this.clock.seconds()]);
    return row?.return_to;
  }
}

/** IDs of our LogoutRequests are an underscore and 64 digits, which fill the column. */
function keyOf(id: string): string {
  return id.slice(1);
}
