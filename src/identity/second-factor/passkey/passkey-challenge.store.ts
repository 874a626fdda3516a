import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { expiringTable } from '../../../platform/persistence/expiring-tables.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import { Random } from '../../../kernel/random/random.js';
import { hashSecret } from '../../session/session.js';
import { type AttemptSubject, OF_STAMP, subjectConditions, TOLERATED_SKEW_SECONDS } from '../attempts/attempt.js';
import { CHALLENGE_SECONDS, MAX_PASSKEYS } from './passkey.js';

/** Nothing is remembered of an expired challenge of a login: one that is not stored is rejected. */
expiringTable('passkey_challenge', 'id', 0);

const CHALLENGE_BYTES = 32;

/** A used challenge of nobody is remembered beyond its expiry, so that a clock that was set back does not make it usable again. */
const REMEMBERED_SECONDS = 86_400;
const USED = `INSERT INTO passkey_challenge (id, user_id, asked_by, purpose, security_stamp, created_at, expires_at)
  VALUES (?, '', '', 'sign-in', 0, ?, ?)`;

/** What a challenge is for: the first authenticator of an account, a further one, or a login. */
export type ChallengePurpose = 'enrolment' | 'registration' | 'assertion';

/** Inserts a row if the account may use such a challenge. */
const INSERT = `INSERT INTO passkey_challenge (id, user_id, asked_by, purpose, security_stamp, created_at, expires_at)
  SELECT ?, id, ?, ?, security_stamp, ?, ? FROM account WHERE id = ? AND status = 'active'`;
const OF_PURPOSE: Readonly<Record<ChallengePurpose, string>> = {
  enrolment: ' AND totp_count + passkey_count = 0',
  registration: ` AND totp_count + passkey_count > 0 AND passkey_count < ${MAX_PASSKEYS}`,
  assertion: ' AND passkey_count > 0',
};
const DELETE_EARLIER = 'DELETE FROM passkey_challenge WHERE asked_by = ? AND purpose = ?';
const DELETE_ALL = 'DELETE FROM passkey_challenge WHERE user_id = ?';
/** A challenge from further in the future means that a clock was set back, after which it would live too long. */
const TAKE = `DELETE FROM passkey_challenge
  WHERE id = ? AND user_id = ? AND asked_by = ? AND purpose = ? AND expires_at > ? AND created_at <= ?`;

/** Who asked for a challenge, and what for. */
export interface ChallengeOwner {
  readonly subject: string;
  /** The session or `mfa_token` that alone may respond. */
  readonly requestedBy: string;
  readonly purpose: ChallengePurpose;
  /** If set, the account must have this security stamp when the challenge is issued, or must have had it then. */
  readonly ofStamp?: number;
}

/** Challenges that wait for a response; each is taken once. */
@Injectable()
export class PasskeyChallengeStore {
  constructor(
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  /**
   * Issues a challenge in place of an earlier one of the same owner; Base64url. Undefined if the caller may not act any more,
   * or if the account lacks an authenticator for the purpose, or has as many as it may.
   */
  async issue(tx: Tx, caller: AttemptSubject & ChallengeOwner): Promise<string | undefined> {
    const { subject, requestedBy, purpose, ofStamp } = caller;
    const challenge = this.random.text(CHALLENGE_BYTES);
    const now = this.clock.seconds();
    const ofCaller = subjectConditions(caller);
    await tx.change(DELETE_EARLIER, [requestedBy, purpose]);
    const sql = INSERT + OF_PURPOSE[purpose] + ofCaller.sql + (ofStamp === undefined ? '' : OF_STAMP);
    const isIssued = await tx.change(sql, [
      ...[hashSecret(challenge), requestedBy, purpose, now, now + CHALLENGE_SECONDS, subject],
      ...ofCaller.values,
      ...(ofStamp === undefined ? [] : [ofStamp]),
    ]);
    return isIssued === 1 ? challenge : undefined;
  }

  /** Takes a challenge; false unless it is that of this owner, not expired and not taken. */
  async take(tx: Tx, challenge: string, { subject, requestedBy, purpose, ofStamp }: ChallengeOwner): Promise<boolean> {
    const now = this.clock.seconds();
    const values = [hashSecret(challenge), subject, requestedBy, purpose, now, now + TOLERATED_SKEW_SECONDS];
    return ofStamp === undefined
      ? (await tx.change(TAKE, values)) === 1
      : (await tx.change(TAKE + OF_STAMP, [...values, ofStamp])) === 1;
  }

  /** Remembers a challenge that was not stored as used; false if it was used before. */
  takeOnce(tx: Tx, challenge: string, expiresAt: number): Promise<boolean> {
    return tx.insert(USED, [hashSecret(challenge), this.clock.seconds(), expiresAt + REMEMBERED_SECONDS]);
  }

  async deleteAll(tx: Tx, subject: string): Promise<void> {
    await tx.change(DELETE_ALL, [subject]);
  }
}
