import { type DatabaseCondition, embeddedCondition, serverCondition } from './database-condition.js';

/**
 * The meaning of a driver's error: `duplicate` for a violated unique key, `lost` if another transaction won and this one
 * was rolled back, `waited` for a lock timeout, `moved` if the server rejects the statement and another one may accept it,
 * `unreachable` if it is not known whether the database executed the statement, such as a COMMIT without a response, or if
 * it cannot do so now. Anything else is undefined, a defect of this program. Only after `lost`, `waited` and `moved` is it
 * certain that nothing was committed, so that work may be repeated.
 */
export type DriverFailure = 'duplicate' | 'lost' | 'waited' | 'moved' | 'unreachable';

/** Error numbers of a lost transaction: deadlock or lost certification, changed since read, missing savepoint. */
const LOST = new Set([1213, 1020, 1305]);
const LOCK_WAIT = 1205;
/** Error numbers of a server that is read-only after a failover, and of a Galera node without its cluster. */
const MOVED = new Set([1290, 1792, 1836, 1047]);
const SHUTDOWN = 1053;
const KILLED = 1927;
const UNKNOWN_COLUMN = 1054;
const NO_SUCH_TABLE = 1146;
const UNKNOWN_VARIABLE = 1193;
const UNKNOWN_TIME_ZONE = 1298;
const SYNC_WAIT_FAILED = 'SYNC_WAIT_FAILED';
const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_CONSTRAINT_PRIMARYKEY = 1555;
const SQLITE_CONSTRAINT_UNIQUE = 2067;

/** A node of a Galera cluster could not wait for what the other nodes had committed, and has not executed the statement. */
export class SyncWaitFailed extends Error {
  readonly code = SYNC_WAIT_FAILED;

  constructor(cause: unknown) {
    super('the node cannot wait for the other nodes of its cluster', { cause });
    this.name = 'SyncWaitFailed';
  }
}

export function classifyFailure(error: unknown): DriverFailure | undefined {
  if (!(error instanceof Error)) return undefined;
  const { errno, errcode, code, fatal, sqlState } = driverErrorOf(error);
  if (typeof errcode === 'number') return classifySqlite(errcode);
  if (errno === 1062) return 'duplicate';
  if (errno === LOCK_WAIT) return 'waited';
  if (typeof errno === 'number' && LOST.has(errno)) return 'lost';
  if (typeof errno === 'number' && MOVED.has(errno)) return 'moved';
  if (typeof errno === 'number' && serverCondition(errno, sqlState) !== undefined) return 'unreachable';
  if (code === SYNC_WAIT_FAILED) return 'moved';
  if (fatal === true) return 'unreachable';
  return typeof code === 'string' && /^(?:ECONN|EHOST|ENET|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_|PROTOCOL_|POOL_)/.test(code)
    ? 'unreachable'
    : undefined;
}

/** The condition of the database that caused an error, also that of a connection that could not be opened. */
export function conditionOf(error: unknown): DatabaseCondition | undefined {
  if (!(error instanceof Error)) return undefined;
  const { errno, errcode, sqlState } = driverErrorOf(error);
  if (typeof errcode === 'number') return embeddedCondition(errcode);
  return (typeof errno === 'number' ? serverCondition(errno, sqlState) : undefined) ?? conditionOf(error.cause);
}

/** True if connections to this server are of no use for some time. */
export function isServerGone(error: Error): boolean {
  const { errno } = driverErrorOf(error);
  return typeof errno === 'number' && (MOVED.has(errno) || errno === SHUTDOWN);
}

/** True if a lock was not granted in time, or a node of a cluster could not wait for the other nodes. */
export function isWaitTimeout(error: unknown): boolean {
  return error instanceof Error && driverErrorOf(error).errno === LOCK_WAIT;
}

/** True if a server has responded with an error; those of the network have negative numbers, or none. */
export function isServerError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { errno } = driverErrorOf(error);
  return typeof errno === 'number' && errno > 0;
}

/** True if the driver cannot use the connection any more, or the server is about to close it. */
export function isConnectionLost(error: Error): boolean {
  const { errno, fatal } = driverErrorOf(error);
  return fatal === true || errno === KILLED;
}

/** True if the database has no table or no column of the name in a statement. SQLite has one code for both and for other errors. */
export function isDropped(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { errno, errcode, message } = driverErrorOf(error);
  if (typeof errcode === 'number') return /^no such (?:table|column): /.test(String(message));
  return errno === NO_SUCH_TABLE || errno === UNKNOWN_COLUMN;
}

/** True if the server has no setting of that name. */
export function isUnknownVariable(error: unknown): boolean {
  return error instanceof Error && driverErrorOf(error).errno === UNKNOWN_VARIABLE;
}

/** True if the server does not know the time zone: its table of zones is empty or outdated. */
export function isUnknownTimeZone(error: unknown): boolean {
  return error instanceof Error && driverErrorOf(error).errno === UNKNOWN_TIME_ZONE;
}

/** The code of a driver's error, such as `ER_LOCK_DEADLOCK`; unlike the message, it contains no data. */
export function driverCode(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { errcode, code } = driverErrorOf(error);
  if (typeof errcode === 'number') return `SQLITE ${errcode}`;
  return typeof code === 'string' ? code : error.name;
}

/** Unwraps the error of the driver from that of TypeORM. */
function driverErrorOf(error: Error): Readonly<Record<string, unknown>> {
  const { driverError = error } = error as { driverError?: unknown };
  return driverError as Readonly<Record<string, unknown>>;
}

function classifySqlite(errcode: number): DriverFailure | undefined {
  if (errcode === SQLITE_CONSTRAINT_PRIMARYKEY || errcode === SQLITE_CONSTRAINT_UNIQUE) return 'duplicate';
  const primary = errcode & 0xff;
  if (primary === SQLITE_BUSY || primary === SQLITE_LOCKED) return 'lost';
  return embeddedCondition(primary) === undefined ? undefined : 'unreachable';
}
