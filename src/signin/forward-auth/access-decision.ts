import { decideSignIn, type Decision, type Situation, type Visitor } from '../oidc/authorize/sign-in-decision.js';
import { OAuthError } from '../oidc/oauth-error.js';
import { type AccessRule, demandsOf } from './access-rules.js';

/** As for applications of OpenID Connect; denied without a rule, without its role, and if the user cannot meet it. */
export type AccessDecision = Decision | { readonly kind: 'deny' };

export function decideAccess(
  rule: AccessRule | undefined,
  visitor: Visitor | undefined,
  situation: Situation,
): AccessDecision {
  if (!rule) return { kind: 'deny' };
  try {
    return decideSignIn(demandsOf(rule), visitor, situation);
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    return { kind: 'deny' };
  }
}
