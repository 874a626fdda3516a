import { STAGED } from './account.js';
import type { AccountStatistics, ConcernedRoles, FactorDemand } from './account-statistics.js';

/** SQL with its values. */
interface Fragment {
  readonly sql: string;
  readonly values: readonly string[];
}

const NONE: Fragment = { sql: '1 = 0', values: [] };
const ALL: Fragment = { sql: '1 = 1', values: [] };

/** The conditions of what `AccountStatistics` counts. */
function conditionsOf(demand: FactorDemand): Readonly<Record<keyof AccountStatistics, Fragment>> {
  const plain = (sql: string): Fragment => ({ sql, values: [] });
  return {
    all: ALL,
    disabled: plain("status = 'disabled'"),
    staff: plain("kind = 'staff'"),
    invited: plain('invited_at IS NOT NULL'),
    withApp: plain('totp_count > 0'),
    withPasskey: plain('passkey_count > 0'),
    withBoth: plain('totp_count > 0 AND passkey_count > 0'),
    unready: unready(demand),
  };
}

/** A statement that reads every account once and counts it; its columns are named `n_` and the name in lower case. */
export function statisticsStatement(demand: FactorDemand): Fragment {
  const counts = Object.entries(conditionsOf(demand));
  const columns = counts.map(([name, { sql }]) => `COUNT(CASE WHEN ${sql} THEN 1 END) AS ${columnOf(name)}`);
  return {
    sql: `SELECT ${columns.join(', ')} FROM account WHERE status <> '${STAGED}'`,
    values: counts.flatMap(([, { values }]) => values),
  };
}

/** The statistics in a row of `statisticsStatement`. */
export function statisticsOf(row: Readonly<Record<string, number>> | undefined): AccountStatistics {
  const count = (name: keyof AccountStatistics): number => row?.[columnOf(name)] ?? 0;
  return {
    all: count('all'),
    disabled: count('disabled'),
    staff: count('staff'),
    invited: count('invited'),
    withApp: count('withApp'),
    withPasskey: count('withPasskey'),
    withBoth: count('withBoth'),
    unready: count('unready'),
  };
}

/** Not the name itself, since `all` is a reserved word. */
function columnOf(name: string): string {
  return `n_${name.toLowerCase()}`;
}

function unready({ factor, passkey }: FactorDemand): Fragment {
  const [byFactor, byPasskey] = [concerned(factor), concerned(passkey)];
  return {
    sql: `status = 'active' AND kind = 'local' AND invited_at IS NULL AND (
      (totp_count + passkey_count = 0 AND (mfa_required = 1 OR enrolment_forced = 1 OR ${byFactor.sql}))
      OR (passkey_count = 0 AND ${byPasskey.sql}))`,
    values: [...byFactor.values, ...byPasskey.values],
  };
}

function concerned(roles: ConcernedRoles): Fragment {
  if (roles === 'all') return ALL;
  if (roles.length === 0) return NONE;
  const sql = roles.map(() => "INSTR(CONCAT(',', roles, ','), ?) > 0").join(' OR ');
  return { sql: `(${sql})`, values: roles.map((role) => `,${role},`) };
}
