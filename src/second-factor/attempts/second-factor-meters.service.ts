import { Injectable } from '@nestjs/common';
import type { ErrorCode } from '../../errors/error-code.js';
import { ServiceError } from '../../errors/service-error.js';
import { SecurityEvents } from '../../events/security-events.service.js';
import type { Counter, Summary } from '../../metrics/meter.js';
import { type Family, Meters } from '../../metrics/meters.js';
import type { SubmittedCode } from '../submitted-code.js';
import type { StepOffset } from '../totp/totp.js';

/** What was shown as second factor. */
export type CodeMethod = SubmittedCode['method'];

interface Ending {
  /** `failure`: the code was looked at, and counted against its account; `refused`: it was not. */
  readonly outcome: 'success' | 'failure' | 'refused' | 'error';
  readonly reason: string;
}

const SUCCESS: Ending = { outcome: 'success', reason: 'none' };
const FAILURES: Readonly<Record<CodeMethod, readonly string[]>> = {
  totp: ['wrong_code', 'used_step'],
  backup_code: ['wrong_backup_code'],
};
/** A race may end a backup code as `wrong_code`, too. */
const FAILURE_WORDS = Object.values(FAILURES).flat();
const REFUSALS: Partial<Record<ErrorCode, string>> = {
  MFA_LOCKED: 'locked',
  MFA_STATE_CONFLICT: 'no_secret',
  MFA_TOKEN_INVALID: 'half_token',
  INVALID_TOKEN: 'ended',
};

/** Attempts at the second factor and the locks they cause (management API, 5.3). */
@Injectable()
export class SecondFactorMeters {
  private readonly attempts: Family<Counter>;
  private readonly offsets: Summary;

  constructor(meters: Meters, events: SecurityEvents) {
    this.attempts = meters.counter('login.mfa.attempts', { description: 'Codes shown as second factor' });
    // The usual ones from the start, so that the first one is a rise.
    for (const method of ['totp', 'backup_code'] as const) {
      this.counterOf(method, SUCCESS);
      for (const reason of FAILURES[method]) this.counterOf(method, { outcome: 'failure', reason });
      this.counterOf(method, { outcome: 'refused', reason: 'locked' });
    }
    const description = 'Steps by which the code of an authenticator was behind or ahead';
    this.offsets = meters.summary('login.mfa.step.offset', { description, buckets: [-1, 0, 1] }).of();
    const lockouts = meters.counter('login.lockouts', { description: 'Locks of the second factor, and their ends' });
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

  /** Counts an attempt once, by how it ends. */
  async counted<T>(
    method: CodeMethod,
    attempt: () => Promise<{ readonly result: T; readonly offset?: StepOffset }>,
  ): Promise<T> {
    const { result, offset } = await this.refusals(method, attempt);
    this.count(method, SUCCESS);
    if (offset !== undefined) this.offsets.record(offset);
    return result;
  }

  /** Counts what ends the attempt before its code is looked at; one that goes on is counted elsewhere. */
  async refusals<T>(method: CodeMethod, look: () => Promise<T>): Promise<T> {
    try {
      return await look();
    } catch (error) {
      this.count(method, endingBy(error));
      throw error;
    }
  }

  private count(method: CodeMethod, ending: Ending): void {
    this.counterOf(method, ending).increment();
  }

  private counterOf(method: CodeMethod, { outcome, reason }: Ending): Counter {
    return this.attempts.of({ outcome, method, reason });
  }
}

/** In words of which there are few, whatever was thrown. */
function endingBy(error: unknown): Ending {
  if (!(error instanceof ServiceError)) return { outcome: 'error', reason: 'defect' };
  const { code, facts } = error;
  if (code === 'UNAVAILABLE') return { outcome: 'error', reason: 'unavailable' };
  if (code !== 'MFA_CODE_INVALID') return { outcome: 'refused', reason: REFUSALS[code] ?? 'other' };
  const reason = FAILURE_WORDS.find((word) => word === facts.reason);
  return { outcome: 'failure', reason: reason ?? 'other' };
}
