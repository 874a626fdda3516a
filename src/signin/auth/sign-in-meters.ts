import type { Reason } from '../../kernel/errors/reason.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import type { Counter } from '../../observability/metrics/meter.js';
import type { Meters } from '../../observability/metrics/meters.js';
import type { SessionRejectionReason } from '../../identity/session/refresh.js';

/** Outcomes of the password step (docs/reference/metrics.md). */
const OUTCOMES = [
  ...(['success', 'challenged', 'wrong_password', 'unknown', 'disabled', 'no_password'] as const),
  ...(['expired_password', 'change_required', 'passkey_required', 'changed'] as const),
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
      this.count(loginOutcomeOf(error));
      throw error;
    }
  }
}

function loginOutcomeOf(error: unknown): LoginOutcome {
  if (!(error instanceof ServiceError)) return 'defect';
  switch (error.code) {
    case 'INVALID_CREDENTIALS':
      return OUTCOMES.find((outcome) => outcome === error.facts.reason) ?? 'changed';
    case 'PASSWORD_CHANGE_REQUIRED':
      return 'change_required';
    case 'PASSKEY_REQUIRED':
      return 'passkey_required';
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

/** Outcomes of sign-ins by passkey alone (docs/reference/metrics.md). */
const PASSKEY_OUTCOMES = [
  ...(['success', 'challenged', 'challenge', 'unknown_passkey', 'wrong_passkey', 'passkey_counter'] as const),
  ...(['disabled', 'staff', 'locked', 'changed', 'throttled', 'unavailable', 'defect'] as const),
];

type PasskeyLoginOutcome = (typeof PASSKEY_OUTCOMES)[number];

/** Meter of sign-in attempts by passkey alone. */
export class PasskeyLoginMeters {
  private readonly counters: Readonly<Record<PasskeyLoginOutcome, Counter>>;

  constructor(meters: Meters) {
    const family = meters.counter('login.passkey.attempts', { description: 'Sign-in attempts with a passkey alone' });
    const all = PASSKEY_OUTCOMES.map((outcome) => [outcome, family.of({ outcome })] as const);
    this.counters = Object.fromEntries(all) as Record<PasskeyLoginOutcome, Counter>;
  }

  count(outcome: PasskeyLoginOutcome): void {
    this.counters[outcome].increment();
  }

  /** Counts an attempt that ends with an error; every other attempt is counted where it ends. */
  async countFailures<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      this.count(passkeyOutcomeOf(error));
      throw error;
    }
  }
}

function passkeyOutcomeOf(error: unknown): PasskeyLoginOutcome {
  if (!(error instanceof ServiceError)) return 'defect';
  switch (error.code) {
    case 'INVALID_CREDENTIALS':
      return PASSKEY_OUTCOMES.find((outcome) => outcome === error.facts.reason) ?? 'changed';
    case 'MFA_LOCKED':
      return 'locked';
    case 'RATE_LIMITED':
      return 'throttled';
    case 'UNAVAILABLE':
      return 'unavailable';
    default:
      return 'defect';
  }
}

/** Why a refresh is rejected; for the log and the meters only. */
export type RefreshRejection = SessionRejectionReason | 'no cookie' | 'account not active';

/** Outcomes of rejected exchanges (docs/reference/metrics.md). */
const REJECTED: ReadonlyMap<Reason | undefined, string> = new Map<RefreshRejection, string>([
  ['no cookie', 'no_cookie'],
  ['unknown', 'unknown'],
  ['expired', 'expired'],
  ['superseded', 'superseded'],
  ['reused', 'reuse'],
  ['session ended', 'session_ended'],
  ['account not active', 'account'],
]);
const OTHERS = ['rotated', 'repeated', 'limited', 'unavailable', 'defect'] as const;

/** Meter of refresh token exchanges (management API, 5.3). */
export class RefreshMeters {
  private readonly counters: ReadonlyMap<string, Counter>;

  constructor(meters: Meters) {
    const family = meters.counter('login.token.refresh', { description: 'Exchanges of refresh tokens' });
    // All series exist from the start, so that the first exchange is an increase.
    this.counters = new Map([...OTHERS, ...REJECTED.values()].map((outcome) => [outcome, family.of({ outcome })]));
  }

  /** Runs an exchange and counts it by its outcome. */
  async record<T extends { readonly kind: 'rotated' | 'repeated' }>(exchange: () => Promise<T>): Promise<T> {
    try {
      const done = await exchange();
      this.count(done.kind);
      return done;
    } catch (error) {
      this.count(refreshOutcomeOf(error));
      throw error;
    }
  }

  private count(outcome: string): void {
    this.counters.get(outcome)?.increment();
  }
}

function refreshOutcomeOf(error: unknown): string {
  if (!(error instanceof ServiceError)) return 'defect';
  const { code, facts } = error;
  if (code === 'UNAVAILABLE') return 'unavailable';
  if (code === 'RATE_LIMITED') return 'limited';
  return REJECTED.get(facts.reason) ?? 'defect';
}
