import { ServiceError } from '../errors/service-error.js';
import type { Counter } from '../metrics/meter.js';
import type { Meters } from '../metrics/meters.js';

/** Outcomes of the password step (docs/operations.md). */
const OUTCOMES = [
  ...(['success', 'challenged', 'wrong_password', 'unknown', 'disabled', 'no_password'] as const),
  ...(['expired_password', 'change_required', 'changed'] as const),
  ...(['throttled', 'malformed', 'unavailable', 'defect'] as const),
];

export type LoginOutcome = (typeof OUTCOMES)[number];

/** Meter of sign-in attempts by password (management API, 5.3). */
export class LoginMeters {
  private readonly counters: Readonly<Record<LoginOutcome, Counter>>;

  constructor(meters: Meters) {
    const family = meters.counter('login.attempts', { description: 'Sign-in attempts with a password' });
    // All series exist from the start, so that the first attempt is an increase.
    const all = OUTCOMES.map((outcome) => [outcome, family.of({ outcome })] as const);
    this.counters = Object.fromEntries(all) as Record<LoginOutcome, Counter>;
  }

  count(outcome: LoginOutcome): void {
    this.counters[outcome].increment();
  }

  /** Counts an attempt that ends with an error; every other attempt is counted where it ends. */
  async countFailures<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      this.count(outcomeOf(error));
      throw error;
    }
  }
}

function outcomeOf(error: unknown): LoginOutcome {
  if (!(error instanceof ServiceError)) return 'defect';
  switch (error.code) {
    case 'INVALID_CREDENTIALS':
      return OUTCOMES.find((outcome) => outcome === error.facts.reason) ?? 'changed';
    case 'PASSWORD_CHANGE_REQUIRED':
      return 'change_required';
    case 'RATE_LIMITED':
      return 'throttled';
    case 'VALIDATION_FAILED':
      return 'malformed';
    case 'UNAVAILABLE':
      return 'unavailable';
    default:
      return 'defect';
  }
}
