import type { Decision, SignInDemands } from '../oidc/authorize/sign-in-decision.js';
import { OAuthError } from '../oidc/oauth-error.js';
import { type AccessRule, demandsOf } from './access-rules.js';

/** As for applications of OpenID Connect; denied without a rule, without its role, and if the user cannot meet it. */
export type AccessDecision = Decision | { readonly kind: 'deny' };

export async function decideAccess(
  rule: AccessRule | undefined,
  decide: (demands: SignInDemands) => Decision | Promise<Decision>,
): Promise<AccessDecision> {
  if (!rule) return { kind: 'deny' };
  try {
    return await decide(demandsOf(rule));
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    return { kind: 'deny' };
  }
}
