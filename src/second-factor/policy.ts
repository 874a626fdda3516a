import { effectiveRoles } from '../principal/principal.js';

/** What policy looks at in an account. */
export interface PolicyFacts {
  readonly roles: readonly string[];
  readonly mfaRequired: boolean;
  /** Set by an administrator's reset, until the next enrolment. */
  readonly enrolmentForced: boolean;
}

/** True where the account must have a second factor. */
export function isDemanded(
  account: PolicyFacts,
  { requiredRoles }: { readonly requiredRoles: readonly string[] },
): boolean {
  const { mfaRequired, enrolmentForced, roles } = account;
  return mfaRequired || enrolmentForced || effectiveRoles(roles).some((role) => requiredRoles.includes(role));
}
