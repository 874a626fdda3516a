import { type Amr, hasOtp, PWD } from '../../../../kernel/principal/amr.js';
import type { SamlRejection } from '../rejection.js';

/** How a login that proved no second factor is treated. */
export const ON_MISSING_MFA = ['deny', 'local-totp', 'accept-as-pwd'] as const;
export type OnMissingMfa = (typeof ON_MISSING_MFA)[number];

/** The input of the decision about a staff login. */
export interface AssuranceFacts {
  /** The methods that the context classes in the response prove (`amrOfContext`). */
  readonly amr: Amr;
  /** Whether the response satisfies the requested context (`satisfies`). */
  readonly isSatisfied: boolean;
  /** Whether only `otp` satisfies the requested context (`requiresOtp`). */
  readonly isOtpRequired: boolean;
  /** Whether the caller of this login named an `acr`; `authn-context.request` of the identity provider does not. */
  readonly isAcrRequested: boolean;
  /** Whether policy requires a second factor of the account, with the roles that this login assigns. */
  readonly isMfaRequired: boolean;
  /** Whether policy requires a passkey of the account, which no identity provider states. */
  readonly isPasskeyRequired: boolean;
  readonly onMissingMfa: OnMissingMfa;
  readonly reportOnly: boolean;
}

/** A full session, a half-authenticated session that requires a second factor of this service, or none. */
export type Assurance =
  | {
      readonly kind: 'full';
      readonly amr: Amr;
      /** True under `report-only` if `deny` would have rejected the login. */
      readonly wouldDeny: boolean;
    }
  | { readonly kind: 'local'; readonly wouldDeny: boolean }
  | { readonly kind: 'refused'; readonly rejection: Extract<SamlRejection, 'mfa_missing' | 'authn_context'> };

/** Decides the assurance of a login whose response passed every other check. */
export function assuranceOf(facts: AssuranceFacts): Assurance {
  const { amr, isSatisfied, isOtpRequired, isAcrRequested, isMfaRequired, onMissingMfa, reportOnly } = facts;
  if (isSatisfied && hasOtp(amr)) {
    return facts.isPasskeyRequired ? { kind: 'local', wouldDeny: false } : { kind: 'full', amr, wouldDeny: false };
  }
  // A code of this service replaces a missing second factor, but no other missing method.
  if (!isSatisfied && !(isOtpRequired && amr.includes('pwd'))) return { kind: 'refused', rejection: 'authn_context' };

  if (onMissingMfa === 'deny' && !reportOnly) return { kind: 'refused', rejection: 'mfa_missing' };
  const wouldDeny = reportOnly;
  if (onMissingMfa === 'local-totp' || isMfaRequired || (isAcrRequested && isOtpRequired))
    return { kind: 'local', wouldDeny };
  return { kind: 'full', amr: PWD, wouldDeny };
}
