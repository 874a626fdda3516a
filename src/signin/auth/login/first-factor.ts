import type { Account } from '../../../identity/account/account.js';
import type { SecurityEvent } from '../../../identity/events/security-event.js';
import type { DueStep } from '../../../identity/second-factor/second-factor.js';
import type { OpenedSession } from '../../../identity/session/session.js';
import type { DeviceSecret } from '../../../identity/second-factor/trusted-device/trusted-device.js';
import { type Amr, isPhishingResistant } from '../../../kernel/principal/amr.js';

/** A verified first factor, and the step that is due next. */
export interface FirstFactorResult extends DueStep {
  readonly account: Account;
  readonly amr: Amr;
  /** When the factor was verified, in epoch seconds. */
  readonly authTime: number;
  /** Cookie of a browser that may replace the second step; only if policy demands no second factor. */
  readonly trustedDevice?: string;
}

/** An `mfa_token` for the second step. */
export interface Challenge {
  readonly mfaToken: string;
  /** Seconds. */
  readonly expiresIn: number;
}

/** A login that needs no second step. */
export interface CompletedLogin {
  readonly opened: OpenedSession;
  /** New secret of a trusted browser. */
  readonly trustedDevice?: DeviceSecret;
}

/** A login after its first step: complete, or with a challenge `C` for the next step. */
export type FirstStep<C> =
  { readonly completed: CompletedLogin } | ({ readonly completed?: undefined; readonly challenge: C } & DueStep);

export type FirstStepResult<C> = Pick<Account, 'roles' | 'language'> & FirstStep<C>;

/** The event of a verified first factor. */
export function firstFactorEvent(subject: string, amr: Amr): SecurityEvent {
  return { kind: isPhishingResistant(amr) ? 'LOGIN_PASSKEY_OK' : 'LOGIN_PASSWORD_OK', subject, amr };
}
