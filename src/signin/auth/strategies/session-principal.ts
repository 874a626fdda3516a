import {
  type AuthenticationFacts,
  authenticationFactsOf,
  type FullPrincipal,
} from '../../../kernel/principal/principal.js';

/** Facts about a login, as a session or an access token carries them. */
export interface PrincipalFacts extends AuthenticationFacts {
  readonly id: string;
  readonly subject: string;
}

export function toPrincipal(facts: PrincipalFacts, via: FullPrincipal['via'], roles: readonly string[]): FullPrincipal {
  return { kind: 'full', via, subject: facts.subject, sid: facts.id, roles, ...authenticationFactsOf(facts) };
}
