import type { Value } from '../../platform/persistence/unit-of-work.js';
import { STAGED } from './account.js';
import type { AccountStatistics, ConcernedRoles, FactorDemand } from './account-statistics.js';

/** A condition on the row of an account, with its values. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly Value[];
}

const ALL = plain('1 = 1');
const NONE = plain('1 = 0');
const HAS_NO_FACTOR = 'totp_count + passkey_count = 0';

export const ACTIVE = plain("status = 'active' AND invited_at IS NULL");
export const DISABLED = plain("status = 'disabled'");
export const INVITED = plain('invited_at IS NOT NULL');
export const WITHOUT_FACTOR = plain(HAS_NO_FACTOR);
/** The accounts of an unfinished import do not exist yet. */
export const EXISTING = plain(`status <> '${STAGED}'`);

/** Active accounts with a password that lack the second factor that policy demands, now or from its date. */
export function unready({ factor, passkey }: FactorDemand): Condition {
  const [byFactor, byPasskey] = [withOneOf(factor), withOneOf(passkey)];
  return {
    sql: `status = 'active' AND kind = 'local' AND invited_at IS NULL AND (
      (${HAS_NO_FACTOR} AND (mfa_required = 1 OR enrolment_forced = 1 OR ${byFactor.sql}))
      OR (passkey_count = 0 AND ${byPasskey.sql}))`,
    values: [...byFactor.values, ...byPasskey.values],
  };
}

/** Accounts that did not sign in since a time in epoch seconds, or never. */
export function notSignedInSince(seconds: number): Condition {
  return { sql: '(last_sign_in_at IS NULL OR last_sign_in_at < ?)', values: [seconds] };
}

export function withRole(role: string): Condition {
  return { sql: "INSTR(CONCAT(',', roles, ','), ?) > 0", values: [`,${role},`] };
}

/** All of the conditions, as a part of a statement after WHERE. */
export function allOf(conditions: readonly Condition[]): Condition {
  return {
    sql: conditions.map(({ sql }) => `(${sql})`).join(' AND '),
    values: conditions.flatMap(({ values }) => values),
  };
}

/** A statement that reads every account once and counts it; its columns are named `n_` and the name in lower case. */
export function statisticsStatement(demand: FactorDemand): Condition {
  const counted: Readonly<Record<keyof AccountStatistics, Condition>> = {
    all: ALL,
    disabled: DISABLED,
    staff: plain("kind = 'staff'"),
    invited: INVITED,
    withApp: plain('totp_count > 0'),
    withPasskey: plain('passkey_count > 0'),
    withBoth: plain('totp_count > 0 AND passkey_count > 0'),
    unready: unready(demand),
  };
  const counts = Object.entries(counted);
  const columns = counts.map(([name, { sql }]) => `COUNT(CASE WHEN ${sql} THEN 1 END) AS ${columnOf(name)}`);
  return {
    sql: `SELECT ${columns.join(', ')} FROM account WHERE ${EXISTING.sql}`,
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

function plain(sql: string): Condition {
  return { sql, values: [] };
}

function withOneOf(roles: ConcernedRoles): Condition {
  if (roles === 'all') return ALL;
  if (roles.length === 0) return NONE;
  const each = roles.map(withRole);
  return { sql: `(${each.map(({ sql }) => sql).join(' OR ')})`, values: each.flatMap(({ values }) => values) };
}
