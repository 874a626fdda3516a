import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Random } from '../../kernel/random/random.js';
import { expiringTable } from '../../platform/persistence/expiring-tables.js';
import type { Tx } from '../../platform/persistence/unit-of-work.js';
import { hashSecret, isSecretForm, SECRET_BYTES } from '../../identity/session/session.js';
import type { Asked } from '../oidc/authorize/stored-request.js';
import { SignInRequestEntity } from './sign-in-request.entity.js';

/** Where a sign-in returns to. */
export interface ReturnAddress {
  readonly origin: string;
  readonly uri: string;
}

/** A sign-in that waits for its user; `createdAt` in epoch seconds. */
export interface SignInRequest extends ReturnAddress {
  readonly createdAt: number;
  readonly asked?: Asked;
}

/** The session of the browser that a code belongs to. */
export interface Grant {
  readonly parentId: string;
  readonly subject: string;
}

/** What a browser sends back to the host of the application. */
export interface SentCode {
  readonly code: string;
  readonly state: string;
  readonly origin: string;
}

/** Seconds, in which the user signs in. */
const REQUEST_SECONDS = 600;
/** Seconds; a browser follows the redirect at once. */
const CODE_SECONDS = 60;

expiringTable('forward_auth_request', 'id', 0);

const INSERT = `INSERT INTO forward_auth_request (id, origin, uri, state_hash, created_at, expires_at)
  VALUES (?, ?, ?, ?, ?, ?)`;
const FIND = `SELECT origin, uri, asked, created_at FROM forward_auth_request
  WHERE id = ? AND code_hash IS NULL AND expires_at > ?`;
const ASK = 'UPDATE forward_auth_request SET asked = ? WHERE id = ? AND code_hash IS NULL';
const GRANT = `UPDATE forward_auth_request SET code_hash = ?, parent_id = ?, user_id = ?, expires_at = ?
  WHERE id = ? AND code_hash IS NULL AND expires_at > ?`;
const FIND_CODE = `SELECT origin, uri, state_hash, parent_id, user_id, expires_at FROM forward_auth_request
  WHERE code_hash = ?`;
const USE = 'DELETE FROM forward_auth_request WHERE code_hash = ?';

type RequestRow = Pick<SignInRequestEntity, 'origin' | 'uri' | 'created_at'> & { readonly asked: Asked | null };
type CodeRow = Pick<SignInRequestEntity, 'origin' | 'uri' | 'state_hash' | 'parent_id' | 'user_id' | 'expires_at'>;

/** Table `forward_auth_request`: one statement gives a sign-in its code, and one uses it up. */
@Injectable()
export class SignInRequestStore {
  constructor(
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  /** Returns the parameter `request` of a new sign-in by the browser with that state. */
  async insert(tx: Tx, { origin, uri }: ReturnAddress, state: string): Promise<string> {
    const value = this.random.text(SECRET_BYTES);
    const now = this.clock.seconds();
    await tx.change(INSERT, [hashSecret(value), origin, uri, hashSecret(state), now, now + REQUEST_SECONDS]);
    return value;
  }

  async find(tx: Tx, value: string): Promise<SignInRequest | undefined> {
    if (!isSecretForm(value)) return undefined;
    const [row] = await tx.rows<RequestRow>(FIND, [hashSecret(value), this.clock.seconds()]);
    if (!row) return undefined;
    const { origin, uri, asked, created_at: createdAt } = row;
    return { origin, uri, createdAt, ...(asked !== null && { asked }) };
  }

  async markAsked(tx: Tx, value: string, asked: Asked): Promise<void> {
    await tx.change(ASK, [asked, hashSecret(value)]);
  }

  /** The code of the sign-in; undefined if it has one already, or has expired. */
  async grant(tx: Tx, value: string, { parentId, subject }: Grant): Promise<string | undefined> {
    const code = this.random.text(SECRET_BYTES);
    const now = this.clock.seconds();
    const values = [hashSecret(code), parentId, subject, now + CODE_SECONDS, hashSecret(value), now];
    return (await tx.change(GRANT, values)) === 1 ? code : undefined;
  }

  /**
   * Uses a code up, also if it is not valid for who sends it, since others may have seen it then: of concurrent callers, one gets
   * what it grants.
   */
  async use(tx: Tx, sent: SentCode): Promise<(Grant & Pick<ReturnAddress, 'uri'>) | undefined> {
    const code = hashSecret(sent.code);
    const [row] = await tx.rows<CodeRow>(FIND_CODE, [code]);
    if ((await tx.change(USE, [code])) !== 1 || !row || !this.isValid(row, sent)) return undefined;
    const { uri, parent_id: parentId, user_id: subject } = row;
    return parentId === null || subject === null ? undefined : { uri, parentId, subject };
  }

  private isValid({ state_hash, origin, expires_at }: CodeRow, sent: SentCode): boolean {
    return state_hash === hashSecret(sent.state) && origin === sent.origin && expires_at > this.clock.seconds();
  }
}
