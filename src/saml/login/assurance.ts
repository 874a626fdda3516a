import { type Amr, hasOtp, PWD } from '../../principal/amr.js';
import type { Rejection } from './rejection.js';

/** What becomes of a login that proved no second factor. */
export const ON_MISSING_MFA = ['deny', 'local-totp', 'accept-as-pwd'] as const;
export type OnMissingMfa = (typeof ON_MISSING_MFA)[number];

/** What the decision about a login of staff looks at. */
export interface AssuranceFacts {
  /** What the classes in the response prove (`amrOfContext`). */
  readonly amr: Amr;
  /** Whether they are what was asked for (`satisfies`). */
  readonly isSatisfied: boolean;
  /** Whether only `otp` would have been an answer (`asksForOtp`). */
  readonly isOtpRequired: boolean;
  /** Whether the caller of this login named an `acr`; the identity provider's own `request` does not count. */
  readonly isAcrRequested: boolean;
  /** Whether policy demands a second factor of the account, with the roles that this login gives it. */
  readonly isMfaRequired: boolean;
  readonly onMissingMfa: OnMissingMfa;
  readonly reportOnly: boolean;
}

/** A full session, a half-authenticated one whose code is asked for here, or none. */
export type Assurance =
  | {
      readonly kind: 'full';
      readonly amr: Amr;
      /** True under `report-only` where `deny` would have refused. */
      readonly wouldDeny: boolean;
    }
  | { readonly kind: 'local'; readonly wouldDeny: boolean }
  | { readonly kind: 'refused'; readonly rejection: Extract<Rejection, 'mfa_missing' | 'authn_context'> };

/** What a login is worth whose response has stood up to every other check. */
export function assuranceOf(facts: AssuranceFacts): Assurance {
  const {
    amr,
    isSatisfied,
    isOtpRequired: isOtpAsked,
    isAcrRequested: isAcrAsked,
    isMfaRequired: isDemanded,
    onMissingMfa,
    reportOnly,
  } = facts;
  if (isSatisfied && hasOtp(amr)) return { kind: 'full', amr, wouldDeny: false };
  // A code can make up for a second factor, but not for a password or another way of signing in.
  if (!isSatisfied && !(isOtpAsked && amr.includes('pwd'))) return { kind: 'refused', rejection: 'authn_context' };

  if (onMissingMfa === 'deny' && !reportOnly) return { kind: 'refused', rejection: 'mfa_missing' };
  const wouldDeny = reportOnly;
  if (onMissingMfa === 'local-totp' || isDemanded || (isAcrAsked && isOtpAsked)) return { kind: 'local', wouldDeny };
  return { kind: 'full', amr: PWD, wouldDeny };
}
