import { hkdfSync } from 'node:crypto';
import { decrypt, encrypt, KEY_BYTES } from '../../platform/sealing/aes-gcm.js';

/**
 * Tokens of one session that stay at least: they tell the limit of refreshes, and what a repeated refresh gets. The use of an
 * older one is known by its value.
 */
export const KEPT_TOKENS = 1000;

/** A stored refresh token; instants in epoch seconds. */
export interface RefreshRecord {
  readonly hash: string;
  readonly sid: string;
  readonly subject: string;
  /** Position in the family; tokens issued in the same second differ by it. */
  readonly generation: number;
  readonly expiresAt: number;
  readonly rotatedAt?: number;
  /** Hash of the successor. */
  readonly replacedBy?: string;
  readonly sealedSuccessor?: string;
  /** Set if a step-up issued a new token without the use of this one. */
  readonly supersededAt?: number;
}

/** Why a refresh token is rejected; for events and the log only. */
export type SessionRejectionReason = 'unknown' | 'expired' | 'superseded' | 'reused' | 'session ended';

/** Verdict on a token that could not be rotated; `repeated` if it was used within the grace. */
export type ReuseVerdict = 'repeated' | Extract<SessionRejectionReason, 'expired' | 'superseded' | 'reused'>;

/** Classifies a token that could not be rotated. `grace` is in seconds and also covers clock skew between replicas. */
export function classifyReuse({ rotatedAt, supersededAt }: RefreshRecord, now: number, grace: number): ReuseVerdict {
  if (supersededAt !== undefined) return 'superseded';
  // An unused token that could not be rotated expired between the two statements.
  if (rotatedAt === undefined) return 'expired';
  // A used token is a copy even after it has expired.
  return grace > 0 && Math.abs(now - rotatedAt) <= grace ? 'repeated' : 'reused';
}

/** True while a successor is unused, so that a repeated refresh may return it again. */
export function isUnused({ rotatedAt, supersededAt, expiresAt }: RefreshRecord, now: number): boolean {
  return rotatedAt === undefined && supersededAt === undefined && expiresAt > now;
}

/** Seals a successor under its predecessor: the database alone cannot open it. */
export function sealSuccessor(predecessor: string, successor: string, nonce: Uint8Array): string {
  return encrypt(keyOf(predecessor), nonce, Buffer.from(successor), SUCCESSOR);
}

export function openSuccessor(predecessor: string, sealed: string): string | undefined {
  return decrypt(keyOf(predecessor), sealed, SUCCESSOR)?.toString();
}

const SUCCESSOR = 'refresh successor';

function keyOf(token: string): Buffer {
  return Buffer.from(hkdfSync('sha256', token, '', SUCCESSOR, KEY_BYTES));
}
