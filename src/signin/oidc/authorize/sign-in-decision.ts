import { type Account, hasSecondFactor as hasAuthenticator } from '../../../identity/account/account.js';
import { ACR_MFA, ACR_PHR, meetsAcr, type RequestableAcr } from '../../../kernel/principal/amr.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import type { Client } from '../../../identity/client/client.js';
import { OAuthError } from '../oauth-error.js';
import { mayUse } from '../user/access.js';
import type { AuthorizationRequest } from './authorization-request.js';
import type { StoredRequest } from './stored-request.js';

/** A signed-in user of the browser. */
export interface Visitor {
  readonly principal: FullPrincipal;
  readonly account: Account;
}

/** What the user is asked for next. */
export type Question =
  | { readonly kind: 'login'; readonly isRepeated: boolean }
  | { readonly kind: 'login at provider'; readonly idp: string; readonly acr?: RequestableAcr }
  | { readonly kind: 'second factor'; readonly required?: 'passkey' }
  | { readonly kind: 'enrolment' };

/** The request is granted, or goes on after a question. */
export type Decision =
  { readonly kind: 'grant'; readonly visitor: Visitor } | { readonly kind: 'ask'; readonly question: Question };

/** The part of a request that decides. */
export type SignInDemands = Pick<AuthorizationRequest, 'prompts' | 'maxAge' | 'hintedSubject' | 'preferredAcr'> & {
  readonly client: Pick<Client, 'roles' | 'minAcr'>;
  readonly claims: Pick<AuthorizationRequest['claims'], 'demandedAcrs'>;
};

/**
 * `stored` is set for a request that was pushed or has asked before; `now` in epoch seconds. `offersSecondFactor` tells whether an
 * identity provider can be asked for one; without it, each can.
 */
export interface Situation {
  readonly stored?: Pick<StoredRequest, 'createdAt' | 'asked'> | undefined;
  readonly now: number;
  readonly offersSecondFactor?: (idp: string) => boolean;
}

/**
 * Decides whether the session of the browser is enough for a request (OpenID Connect Core section 3.1.2.3).
 * @throws OAuthError if it is not, and the request permits no question or the question was in vain
 */
export function decideSignIn(request: SignInDemands, visitor: Visitor | undefined, situation: Situation): Decision {
  const isSilent = request.prompts.has('none');
  const isHinted = request.hintedSubject === undefined || visitor?.account.id === request.hintedSubject;
  const isFresh = visitor !== undefined && isHinted && isFreshEnough(request, visitor.principal, situation);
  if (!isFresh) {
    const isOther = visitor !== undefined && !isHinted && situation.stored?.asked === 'login';
    if (isSilent || isOther) throw new OAuthError('login_required', 'the user has to sign in');
    return { kind: 'ask', question: loginQuestion(visitor, situation) };
  }
  if (!mayUse(visitor.account, request.client))
    throw new OAuthError('access_denied', 'the user may not use the application');
  return decideAcr(request, visitor, { ...situation, isSilent });
}

function isFreshEnough(
  { prompts, maxAge }: SignInDemands,
  { authTime }: FullPrincipal,
  { stored, now }: Situation,
): boolean {
  // An answer to a question of this request: the time in which the user reads and types does not count.
  const isAnswer = stored?.asked !== undefined && authTime !== undefined && authTime >= stored.createdAt;
  if (isAnswer) return true;
  if (prompts.has('login') || prompts.has('select_account')) return false;
  return maxAge === undefined || (authTime !== undefined && now - authTime <= maxAge);
}

function loginQuestion(visitor: Visitor | undefined, { stored }: Situation): Question {
  const idp = visitor?.principal.idp;
  if (idp === undefined) return { kind: 'login', isRepeated: visitor !== undefined };
  // Some providers do not say when the user authenticated, even if they are asked for a new authentication.
  if (stored?.asked === 'login') throw new OAuthError('login_required', 'the time of the sign-in is not known');
  return { kind: 'login at provider', idp };
}

function decideAcr(
  { client, claims: { demandedAcrs }, preferredAcr }: SignInDemands,
  visitor: Visitor,
  { stored, isSilent, offersSecondFactor = () => true }: Situation & { readonly isSilent: boolean },
): Decision {
  const { amr } = visitor.principal;
  const met = demandedAcrs.find((acr) => meetsAcr(amr, acr));
  // The request passes through the browser of the user, so it cannot lower what is registered for the application.
  const isBelowMin = client.minAcr !== undefined && !meetsAcr(amr, client.minAcr);
  const granted: Decision = { kind: 'grant', visitor };
  const wasAsked = stored?.asked === 'second factor';
  const demanded = isBelowMin ? client.minAcr : met === undefined ? demandedAcrs[0] : undefined;
  if (demanded !== undefined) {
    const question =
      wasAsked || isSilent ? undefined : acrQuestion(demanded, visitor, { isDemanded: true, offersSecondFactor });
    if (question) return { kind: 'ask', question };
    throw new OAuthError('unmet_authentication_requirements', 'the sign-in does not meet the required acr');
  }
  if (preferredAcr === undefined || meetsAcr(amr, preferredAcr) || wasAsked || isSilent) return granted;
  const question = acrQuestion(preferredAcr, visitor, { isDemanded: false, offersSecondFactor });
  return question ? { kind: 'ask', question } : granted;
}

/** How the user can meet the class; undefined if it is impossible, or too much to ask for a class that is only preferred. */
function acrQuestion(
  acr: RequestableAcr,
  { principal: { idp }, account }: Visitor,
  {
    isDemanded,
    offersSecondFactor,
  }: Required<Pick<Situation, 'offersSecondFactor'>> & { readonly isDemanded: boolean },
): Question | undefined {
  if (acr === ACR_PHR) return account.passkeyCount > 0 ? { kind: 'second factor', required: 'passkey' } : undefined;
  if (hasAuthenticator(account)) return { kind: 'second factor' };
  if (idp !== undefined && offersSecondFactor(idp)) return { kind: 'login at provider', idp, acr: ACR_MFA };
  return isDemanded ? { kind: 'enrolment' } : undefined;
}
