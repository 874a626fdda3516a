import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import type { Reason } from '../../../kernel/errors/reason.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { Counter, Summary } from '../../../observability/metrics/meter.js';
import type { Family, Meters } from '../../../observability/metrics/meters.js';
import type { FactorId } from '../second-factor.js';
import type { StepOffset } from '../totp/totp.js';

/** Method of an attempt; an access code proves no second factor, but spends the same budget. */
type AttemptMethod = FactorId | 'access_code';

interface Ending {
  /** `failure`: the code was verified and is wrong; `refused`: it was not verified. */
  readonly outcome: 'success' | 'failure' | 'refused' | 'error';
  readonly reason: string;
}

const SUCCESS: Ending = { outcome: 'success', reason: 'none' };
const REJECTION_REASONS: Partial<Record<ErrorCode, string>> = {
  MFA_LOCKED: 'locked',
  MFA_STATE_CONFLICT: 'no_secret',
  MFA_TOKEN_INVALID: 'half_token',
  INVALID_TOKEN: 'ended',
};

/** Reports committed locks (`SecurityEvents`). */
interface LockEvents {
  onCommitted(kind: 'MFA_LOCKED' | 'MFA_UNLOCKED', listener: () => void): void;
}

/** Meters of attempts at the second factor and of the locks that they cause (management API, 5.3). */
export class AttemptMeters {
  private readonly attempts: Family<Counter>;
  private readonly offsets: Summary;
  /** Reasons of all factors: a race may end the attempt of one factor with the reason of another. */
  private readonly failures = new Set<Reason>();

  constructor(meters: Meters, events: LockEvents) {
    this.attempts = meters.counter('login.mfa.attempts', {
      description: 'Codes and passkeys submitted as second factor',
    });
    const description = 'Offset of accepted one-time codes from the current step';
    this.offsets = meters.summary('login.mfa.step.offset', { description, buckets: [-1, 0, 1] }).of();
    const lockouts = meters.counter('login.lockouts', { description: 'Locks and unlocks of the second factor' });
    for (const [kind, outcome] of [
      ['MFA_LOCKED', 'locked'],
      ['MFA_UNLOCKED', 'unlocked'],
    ] as const) {
      const counter = lockouts.of({ outcome });
      events.onCommitted(kind, () => {
        counter.increment();
      });
    }
  }

  /** Creates the usual series of a factor at startup, so that the first attempt is an increase. */
  declare(method: AttemptMethod, failures: readonly Reason[]): void {
    this.counterOf(method, SUCCESS);
    for (const reason of failures) {
      this.failures.add(reason);
      this.counterOf(method, { outcome: 'failure', reason });
    }
    this.counterOf(method, { outcome: 'refused', reason: 'locked' });
  }

  /** `offset` is that of the step of a one-time code. */
  countSuccess(method: AttemptMethod, offset?: StepOffset): void {
    this.count(method, SUCCESS);
    if (offset !== undefined) this.offsets.record(offset);
  }

  /** Counts an attempt that ends with an error. */
  countFailure(method: AttemptMethod, error: unknown): void {
    this.count(method, this.endingBy(error));
  }

  private count(method: AttemptMethod, ending: Ending): void {
    this.counterOf(method, ending).increment();
  }

  private counterOf(method: AttemptMethod, { outcome, reason }: Ending): Counter {
    return this.attempts.of({ outcome, method, reason });
  }

  /** Tags come from closed lists, whatever was thrown. */
  private endingBy(error: unknown): Ending {
    if (!(error instanceof ServiceError)) return { outcome: 'error', reason: 'defect' };
    const { code, facts } = error;
    if (code === 'UNAVAILABLE') return { outcome: 'error', reason: 'unavailable' };
    if (code !== 'MFA_CODE_INVALID') return { outcome: 'refused', reason: REJECTION_REASONS[code] ?? 'other' };
    const { reason } = facts;
    return { outcome: 'failure', reason: reason !== undefined && this.failures.has(reason) ? reason : 'other' };
  }
}
