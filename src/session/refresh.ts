import { hkdfSync } from 'node:crypto';
import { decrypt, encrypt, KEY_BYTES } from '../sealing/aes-gcm.js';

/** What is stored of a refresh token; instants in epoch seconds. */
export interface RefreshRecord {
  readonly hash: string;
  readonly sid: string;
  readonly subject: string;
  /** Position in its family; order by this, since several tokens may be issued in one second. */
  readonly generation: number;
  readonly expiresAt: number;
  readonly rotatedAt?: number;
  /** Hash of the token that took its place. */
  readonly replacedBy?: string;
  readonly sealedSuccessor?: string;
  /** Set where a proven second factor brought a new token without the use of this one. */
  readonly supersededAt?: number;
}

/** Why a refresh token is refused; for events and the log alone. */
export type RefusalReason = 'unknown' | 'expired' | 'superseded' | 'reused' | 'session ended';

/** What is to be said of a token that could not be rotated: `repeated` where it was used a moment ago. */
export type ReuseVerdict = 'repeated' | Extract<RefusalReason, 'expired' | 'superseded' | 'reused'>;

/** `grace` in seconds; the clocks of two replicas may differ by as much. */
export function classifyReuse({ rotatedAt, supersededAt }: RefreshRecord, now: number, grace: number): ReuseVerdict {
  if (supersededAt !== undefined) return 'superseded';
  // One that nobody used and that could still not be rotated reached its end between the two statements.
  if (rotatedAt === undefined) return 'expired';
  // A used one that comes again after its own end is a copy all the same.
  return grace > 0 && Math.abs(now - rotatedAt) <= grace ? 'repeated' : 'reused';
}

/** True while nobody has used it and it may still be handed to the one who lost against its first issue. */
export function isUnused({ rotatedAt, supersededAt, expiresAt }: RefreshRecord, now: number): boolean {
  return rotatedAt === undefined && supersededAt === undefined && expiresAt > now;
}

/** Seals a successor so that only who presents its predecessor can open it: the database alone does not do. */
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
