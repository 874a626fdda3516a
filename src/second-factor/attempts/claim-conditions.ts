import type { Value } from '../../persistence/unit-of-work.js';
import type { Claim } from './attempt.js';

export const OF_EPOCH = ' AND epoch = ?';
const JTI_UNUSED = ' AND NOT EXISTS (SELECT 1 FROM used_mfa_token WHERE jti = ?)';

/** What the row of an account must still be for a claim to hold, to be added to a statement and its values. */
export function claimConditions({ epoch, jti }: Claim): { readonly sql: string; readonly values: readonly Value[] } {
  return {
    sql: (epoch === undefined ? '' : OF_EPOCH) + (jti === undefined ? '' : JTI_UNUSED),
    values: [epoch, jti].filter((value) => value !== undefined),
  };
}
