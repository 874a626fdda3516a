import type { Caller } from '../access/operator.js';
import { maySee, type WhoSees } from '../access/show.js';

/** Who sees more than a status. */
export interface Visibility {
  readonly showComponents: WhoSees;
  readonly showDetails: WhoSees;
  readonly roles: readonly string[];
}

/** What one caller sees. */
export interface Sight {
  readonly components: boolean;
  readonly details: boolean;
}

/** Management API, "Who sees what". */
export function sightOf({ showComponents, showDetails, roles }: Visibility, caller: Caller | undefined): Sight {
  return { components: maySee(showComponents, roles, caller), details: maySee(showDetails, roles, caller) };
}
