import { LOW } from '../backup-code/backup-code.js';
import type { FailureCounter, Lock } from './lock.js';

/** What the owner of an account may know about its second factor; instants are epoch seconds. */
export interface EnrolmentState {
  readonly state: 'none' | 'pending' | 'active';
  readonly activatedAt?: number;
  /** A secret to be confirmed, by whoever asked for it (`askerOf`) and until then; also beside an active one. */
  readonly pending?: { readonly until: number; readonly askedBy: string };
  readonly backupCodes: { readonly remaining: number; readonly generatedAt?: number; readonly isLow: boolean };
  readonly lock?: Lock;
}

/** What is stored about it. */
export interface StoredEnrolment extends FailureCounter {
  readonly activatedAt: number | null;
  readonly pendingUntil: number | null;
  readonly pendingAskedBy: string | null;
  readonly backupCodesAt: number | null;
  /** Codes of the live set. */
  readonly remaining: number;
}

export function enrolmentState(stored: StoredEnrolment, lock: Lock | undefined, now: number): EnrolmentState {
  const { activatedAt, pendingUntil, pendingAskedBy, backupCodesAt, remaining } = stored;
  const isPending = pendingUntil !== null && now < pendingUntil;
  return {
    state: activatedAt !== null ? 'active' : isPending ? 'pending' : 'none',
    ...(activatedAt !== null && { activatedAt }),
    ...(isPending && { pending: { until: pendingUntil, askedBy: pendingAskedBy ?? '' } }),
    backupCodes: {
      remaining,
      ...(backupCodesAt !== null && { generatedAt: backupCodesAt }),
      isLow: activatedAt !== null && remaining <= LOW,
    },
    ...(lock && { lock }),
  };
}
