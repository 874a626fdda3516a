import { setTimeout as wait } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { type HostPool, poolOf, poolsByHost } from './database.js';
import type { DatabaseSettings } from './database-address.js';
import { classifyFailure, driverCode } from './engines/driver-failure.js';
import type { Host } from './jdbc/jdbc-url.js';

/** A server lists a session for a moment after its end. */
const ATTEMPTS = 10;
const PAUSE_MILLIS = 200;
const CONNECT_LIMIT_MILLIS = 5000;

/** An account sees its own sessions, and those of others with the right PROCESS. */
const SESSIONS = `SELECT ID AS id, HOST AS client FROM information_schema.PROCESSLIST
  WHERE DB = DATABASE() AND ID <> CONNECTION_ID()`;

interface SessionRow {
  readonly id: number;
  /** Address and port. */
  readonly client: string;
}

/**
 * The sessions of other processes that use the database, as texts; `own` are all open connections of this process. On a server,
 * every host of the URL is asked with the account of the service: a migration account does not see its sessions, and a node of
 * a cluster lists only its own.
 */
export function otherSessions(
  settings: DatabaseSettings,
  own: readonly [DataSource, ...DataSource[]],
): Promise<readonly string[]> {
  const [first] = own;
  return first.options.type === 'better-sqlite3'
    ? untilNone(() => sessionsOfFile(first))
    : sessionsAtServer(settings, own);
}

async function untilNone(read: () => Promise<readonly string[]>): Promise<readonly string[]> {
  for (let attempt = 1; ; attempt += 1) {
    const found = await read();
    if (found.length === 0 || attempt === ATTEMPTS) return found;
    await wait(PAUSE_MILLIS);
  }
}

/**
 * SQLite leaves the mode of a log only if no other connection has the file open. No other process can open it in between
 * without setting the mode again. A file system without logs tells nothing.
 */
async function sessionsOfFile(dataSource: DataSource): Promise<readonly string[]> {
  try {
    await dataSource.query('PRAGMA journal_mode = DELETE');
    await dataSource.query('PRAGMA journal_mode = WAL');
    return [];
  } catch (error) {
    if (classifyFailure(error) !== 'lost') throw error;
    return ['another process has opened the file'];
  }
}

async function sessionsAtServer(settings: DatabaseSettings, own: readonly DataSource[]): Promise<readonly string[]> {
  const ownIds = new Set(
    own.flatMap((each) => poolOf(each)?.connections ?? []).map(({ host, driver }) => sessionId(host, driver.threadId)),
  );
  const pools = await poolsByHost(settings, { settings: { connectionTimeout: CONNECT_LIMIT_MILLIS } });
  try {
    const opened = await Promise.all(pools.map(opening));
    const unknown = opened.filter((result) => typeof result === 'string');
    const asked = opened.filter((result) => typeof result !== 'string');
    const found = await untilNone(async () =>
      (await Promise.all(asked.map((hostPool) => sessionsAt(hostPool, ownIds)))).flat(),
    );
    return [...found, ...unknown];
  } finally {
    await Promise.all(pools.map(({ pool }) => pool.close()));
  }
}

/** A host that cannot be asked may have sessions. */
async function opening(hostPool: HostPool): Promise<HostPool | string> {
  const { host, pool } = hostPool;
  try {
    await pool.openFirst();
    return hostPool;
  } catch (error) {
    return `${host.name}:${host.port} was not asked (${driverCode(error)})`;
  }
}

/** The number of sessions of each client, such as `10 from 10.0.0.7`. */
async function sessionsAt({ host, pool }: HostPool, ownIds: ReadonlySet<string>): Promise<readonly string[]> {
  const lease = await pool.borrow();
  try {
    const rows = (await lease.connection.query(SESSIONS)) as readonly SessionRow[];
    const others = rows.filter(({ id }) => !ownIds.has(sessionId(host, id)));
    const clients = Map.groupBy(others, ({ client }) => client.replace(/:\d+$/, ''));
    return Array.from(clients, ([client, sessions]) => `${sessions.length} from ${client}`);
  } finally {
    lease.release();
  }
}

function sessionId({ name, port }: Host, id: number): string {
  return `${name}:${port} ${id}`;
}
