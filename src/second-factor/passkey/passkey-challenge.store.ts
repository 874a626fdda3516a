import { Injectable } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import { expiringTable } from '../../persistence/expiring-tables.js';
import { personalTable } from '../../persistence/personal-tables.js';
import type { Tx } from '../../persistence/unit-of-work.js';
import { Random } from '../../random/random.js';
import { hashSecret } from '../../session/session.js';
import { CHALLENGE_SECONDS } from './passkey.js';

/** Nothing is remembered of an expired challenge: one that is not stored is rejected. */
expiringTable('passkey_challenge', 'id', 0);

personalTable('passkey_challenge', {
  name: 'passkey_challenges',
  key: 'id',
  owner: 'user_id',
  shown: ['purpose', 'created_at', 'expires_at'],
  withheld: ['id', 'user_id', 'asked_by'],
});

const CHALLENGE_BYTES = 32;

const INSERT = `INSERT INTO passkey_challenge (id, user_id, asked_by, purpose, created_at, expires_at)
  VALUES (?, ?, ?, ?, ?, ?)`;
const DELETE_EARLIER = 'DELETE FROM passkey_challenge WHERE asked_by = ? AND purpose = ?';
const TAKE = `DELETE FROM passkey_challenge
  WHERE id = ? AND user_id = ? AND asked_by = ? AND purpose = ? AND expires_at > ? AND created_at <= ?`;
/** A challenge from further in the future means that a clock was set back, after which it would live too long. */
const TOLERATED_SKEW_SECONDS = 60;

export type ChallengePurpose = 'registration' | 'assertion';

/** Who asked for a challenge, and what for. */
export interface ChallengeOwner {
  readonly subject: string;
  /** The session or `mfa_token` that alone may respond. */
  readonly askedBy: string;
  readonly purpose: ChallengePurpose;
}

/** Challenges that wait for a response; each is taken once. */
@Injectable()
export class PasskeyChallengeStore {
  constructor(
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  /** Issues a challenge in place of an earlier one of the same owner; Base64url. */
  async issue(tx: Tx, { subject, askedBy, purpose }: ChallengeOwner): Promise<string> {
    const challenge = this.random.text(CHALLENGE_BYTES);
    const now = this.clock.seconds();
    await tx.change(DELETE_EARLIER, [askedBy, purpose]);
    await tx.change(INSERT, [hashSecret(challenge), subject, askedBy, purpose, now, now + CHALLENGE_SECONDS]);
    return challenge;
  }

  /** Takes a challenge; false unless it is that of this owner, not expired and not taken. */
  async take(tx: Tx, challenge: string, { subject, askedBy, purpose }: ChallengeOwner): Promise<boolean> {
    const now = this.clock.seconds();
    const values = [hashSecret(challenge), subject, askedBy, purpose, now, now + TOLERATED_SKEW_SECONDS];
    return (await tx.change(TAKE, values)) === 1;
  }
}
