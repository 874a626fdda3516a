import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { Random } from '../../../kernel/random/random.js';
import { expiringTable } from '../../../platform/persistence/expiring-tables.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import { hashSecret, isSecretForm, SECRET_BYTES } from '../../../identity/session/session.js';
import type { Asked, StoredRequest } from './stored-request.js';
import type { StoredRequestEntity } from './stored-request.entity.js';

const PREFIX = 'urn:ietf:params:oauth:request_uri:';
/** Seconds, in which the user also signs in. */
export const REQUEST_SECONDS = 600;

expiringTable('authorization_request', 'id', 0);

const INSERT = `INSERT INTO authorization_request (id, client_id, parameters, asked, created_at, expires_at)
  VALUES (?, ?, ?, ?, ?, ?)`;
const FIND = `SELECT client_id, parameters, asked, created_at FROM authorization_request
  WHERE id = ? AND client_id = ? AND expires_at > ?`;
const ASK = 'UPDATE authorization_request SET asked = ? WHERE id = ?';
const USE = 'DELETE FROM authorization_request WHERE id = ? AND expires_at > ?';

type Row = Pick<StoredRequestEntity, 'client_id' | 'parameters' | 'created_at'> & { readonly asked: Asked | null };

/** Table `authorization_request`: each request is used up by the deletion of its row. */
@Injectable()
export class StoredRequestStore {
  constructor(
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  /** Returns the `request_uri` of a new request. */
  async insert(tx: Tx, clientId: string, parameters: string, asked?: Asked): Promise<string> {
    const value = this.random.text(SECRET_BYTES);
    const now = this.clock.seconds();
    const row = [hashSecret(value), clientId, parameters, asked ?? null, now, now + REQUEST_SECONDS];
    await tx.change(INSERT, row);
    return PREFIX + value;
  }

  async find(tx: Tx, uri: string, clientId: string): Promise<StoredRequest | undefined> {
    const id = idOf(uri);
    if (id === undefined) return undefined;
    const [row] = await tx.rows<Row>(FIND, [id, clientId, this.clock.seconds()]);
    if (!row) return undefined;
    const { parameters, asked, created_at: createdAt } = row;
    return { uri, clientId, parameters, createdAt, ...(asked !== null && { asked }) };
  }

  async markAsked(tx: Tx, uri: string, asked: Asked): Promise<void> {
    await tx.change(ASK, [asked, idOf(uri) ?? null]);
  }

  /** True for the one transaction that uses the request up. */
  async use(tx: Tx, uri: string): Promise<boolean> {
    return (await tx.change(USE, [idOf(uri) ?? null, this.clock.seconds()])) === 1;
  }
}

function idOf(uri: string): string | undefined {
  const value = uri.startsWith(PREFIX) ? uri.slice(PREFIX.length) : '';
  return isSecretForm(value) ? hashSecret(value) : undefined;
}
