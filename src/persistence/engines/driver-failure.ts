/**
 * What an error of a driver means to us: `duplicate` a unique key refused a row, `lost` another transaction won and ours
 * was taken back, `waited` ours waited in vain for one that takes long, `unreachable` the database did not do it.
 * Undefined: a defect of ours.
 */
export type DriverFailure = 'duplicate' | 'lost' | 'waited' | 'unreachable';

/** Deadlock or lost certification, changed since read. */
const LOST = new Set([1213, 1020]);
const LOCK_WAIT = 1205;
/** Read-only primary after a failover, shutdown, too many connections, killed, statement limit of both engines. */
const UNREACHABLE = new Set([1290, 1792, 1836, 1053, 1040, 1203, 1317, 1927, 1969, 3024, 1047, 1180, 1021]);
const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
/** Full, not readable, cannot be opened, read-only. */
const SQLITE_UNREACHABLE = new Set([8, 10, 13, 14]);
const SQLITE_CONSTRAINT_PRIMARYKEY = 1555;
const SQLITE_CONSTRAINT_UNIQUE = 2067;

export function failureOf(error: unknown): DriverFailure | undefined {
  if (!(error instanceof Error)) return undefined;
  const { errno, errcode, code, fatal } = driverErrorOf(error);
  if (typeof errcode === 'number') return ofSqlite(errcode);
  if (errno === 1062) return 'duplicate';
  if (errno === LOCK_WAIT) return 'waited';
  if (typeof errno === 'number' && LOST.has(errno)) return 'lost';
  if (typeof errno === 'number' && UNREACHABLE.has(errno)) return 'unreachable';
  if (fatal === true) return 'unreachable';
  return typeof code === 'string' && /^(?:ECONN|EHOST|ENET|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_|PROTOCOL_|POOL_)/.test(code)
    ? 'unreachable'
    : undefined;
}

/** What the driver calls it, such as `ER_LOCK_DEADLOCK`: unlike its message, that holds nothing of the data. */
export function driverWord(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { errcode, code } = driverErrorOf(error);
  if (typeof errcode === 'number') return `SQLITE ${errcode}`;
  return typeof code === 'string' ? code : error.name;
}

/** TypeORM wraps it. */
function driverErrorOf(error: Error): Readonly<Record<string, unknown>> {
  const { driverError = error } = error as { driverError?: unknown };
  return driverError as Readonly<Record<string, unknown>>;
}

function ofSqlite(errcode: number): DriverFailure | undefined {
  if (errcode === SQLITE_CONSTRAINT_PRIMARYKEY || errcode === SQLITE_CONSTRAINT_UNIQUE) return 'duplicate';
  const primary = errcode & 0xff;
  if (primary === SQLITE_BUSY || primary === SQLITE_LOCKED) return 'lost';
  return SQLITE_UNREACHABLE.has(primary) ? 'unreachable' : undefined;
}
