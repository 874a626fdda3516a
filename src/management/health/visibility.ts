import type { Caller } from '../caller.js';

/** Who is shown something: nobody, who has said who they are, or everybody. */
export type Show = 'never' | 'when-authorized' | 'always';

/** Who sees more than a status. */
export interface Visibility {
  readonly showComponents: Show;
  readonly showDetails: Show;
  /** Roles of which one is needed where callers must be authorized; empty where it is enough to be known. */
  readonly roles: readonly string[];
}

/** What one caller sees. */
export interface Sight {
  readonly components: boolean;
  readonly details: boolean;
}

/** Management API, "Who sees what". */
export function sightOf({ showComponents, showDetails, roles }: Visibility, caller: Caller | undefined): Sight {
  const isAuthorized = caller !== undefined && (roles.length === 0 || roles.some((role) => has(caller, role)));
  const sees = (show: Show): boolean => show === 'always' || (show === 'when-authorized' && isAuthorized);
  return { components: sees(showComponents), details: sees(showDetails) };
}

/** Roles are configured with their prefix or without. */
function has({ roles }: Caller, role: string): boolean {
  return roles.includes(role) || roles.includes(`ROLE_${role}`);
}
