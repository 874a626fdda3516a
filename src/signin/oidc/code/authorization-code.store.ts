import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { Random } from '../../../kernel/random/random.js';
import { expiringTable } from '../../../platform/persistence/expiring-tables.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import type { UserClaim } from '../../../identity/client/client.js';
import { hashSecret, isSecretForm, SECRET_BYTES } from '../../../identity/session/session.js';
import { AuthorizationCodeEntity } from './authorization-code.entity.js';

/** What a code grants, as the request asked for it. */
export interface CodeTerms {
  readonly redirectUri: string;
  /** Of the session that the code opens, as `grantedScope` writes it. */
  readonly scope: string;
  readonly codeChallenge?: string;
  readonly nonce?: string;
  /** Claims of the ID token beside those of the scopes. */
  readonly idTokenClaims: readonly UserClaim[];
}

/** A code with the sessions it belongs to. */
export interface AuthorizationCode {
  readonly clientId: string;
  readonly parentId: string;
  readonly subject: string;
  readonly sessionId: string;
  readonly terms: CodeTerms;
}

/** RFC 6749 section 4.1.2 recommends ten minutes at most; a client redeems it at once. */
const CODE_SECONDS = 60;

expiringTable('authorization_code', 'id');

const INSERT = `INSERT INTO authorization_code (id, client_id, parent_id, user_id, session_id, terms, expires_at)
  VALUES (?, ?, ?, ?, ?, ?, ?)`;
const FIND = `SELECT client_id, parent_id, user_id, session_id, terms, used_at FROM authorization_code
  WHERE id = ? AND expires_at > ?`;
const USE = 'UPDATE authorization_code SET used_at = ? WHERE id = ? AND used_at IS NULL AND expires_at > ?';

type Row = Omit<AuthorizationCodeEntity, 'id' | 'expires_at'>;

/** Table `authorization_code`: one statement uses a code up, and the row shows a second use until it expires. */
@Injectable()
export class AuthorizationCodeStore {
  constructor(
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  /** Returns the code, of which the table has the hash only. */
  async insert(tx: Tx, { clientId, parentId, subject, sessionId, terms }: AuthorizationCode): Promise<string> {
    const code = this.random.text(SECRET_BYTES);
    const row = [hashSecret(code), clientId, parentId, subject, sessionId, JSON.stringify(terms)];
    await tx.change(INSERT, [...row, this.clock.seconds() + CODE_SECONDS]);
    return code;
  }

  /** The code, also if it has been used; undefined if it is unknown or has expired. */
  async find(tx: Tx, code: string): Promise<(AuthorizationCode & { readonly isUsed: boolean }) | undefined> {
    if (!isSecretForm(code)) return undefined;
    const [row] = await tx.rows<Row>(FIND, [hashSecret(code), this.clock.seconds()]);
    if (!row) return undefined;
    const { client_id: clientId, parent_id: parentId, user_id: subject, session_id: sessionId } = row;
    const terms = JSON.parse(row.terms) as CodeTerms;
    return { clientId, parentId, subject, sessionId, terms, isUsed: row.used_at !== null };
  }

  /** True for the one transaction that uses the code up; a concurrent one waits for the first to end. */
  async use(tx: Tx, code: string): Promise<boolean> {
    const now = this.clock.seconds();
    return (await tx.change(USE, [now, hashSecret(code), now])) === 1;
  }
}
