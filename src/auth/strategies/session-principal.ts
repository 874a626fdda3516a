import type { FullPrincipal } from '../../principal/principal.js';

/** Facts about a login, as a session or an access token carries them. */
export interface PrincipalFacts extends Pick<
  FullPrincipal,
  'amr' | 'authTime' | 'mfaAt' | 'mfaMethod' | 'idp' | 'authnContext'
> {
  readonly id: string;
  readonly subject: string;
}

export function toPrincipal(
  { id: sid, subject, amr, authTime, mfaAt, mfaMethod, idp, authnContext }: PrincipalFacts,
  via: FullPrincipal['via'],
  roles: readonly string[],
): FullPrincipal {
  return {
    kind: 'full',
    via,
    subject,
    sid,
    roles,
    amr,
    ...(authTime !== undefined && { authTime }),
    ...(mfaAt !== undefined && { mfaAt }),
    ...(mfaMethod !== undefined && { mfaMethod }),
    ...(idp !== undefined && { idp }),
    ...(authnContext !== undefined && { authnContext }),
  };
}
