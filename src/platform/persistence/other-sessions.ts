import { setTimeout as wait } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { type HostPool, poolOf, poolsByHost } from './database.js';
import type { DatabaseSettings } from './database-address.js';
import { classifyFailure, driverCode } from './engines/driver-failure.js';
import type { ServerConnection } from './engines/server-connection.js';
import type { ServerPool } from './engines/server-pool.js';
import { LOCK_COMMENT } from './migrations/exclusively.js';

/** A server lists a session for a moment after its end. */
const ATTEMPTS = 10;
const PAUSE_MILLIS = 200;
const CONNECT_LIMIT_MILLIS = 5000;

/**
 * An account sees its own sessions, and those of others with the right PROCESS. A process that waits for the lock of the
 * migrations does not use the tables yet, and reads afterwards whether they fit.
 */
const SESSIONS = `SELECT ID AS id, HOST AS client FROM information_schema.PROCESSLIST
  WHERE DB = DATABASE() AND NOT (COALESCE(STATE, '') = 'User lock' AND COALESCE(INFO, '') LIKE '%${LOCK_COMMENT}%')`;

/** Two hosts of a URL may be names of one server. */
const SERVER = "SELECT CONCAT(@@hostname, ':', @@port, ' ', @@datadir) AS server";

/** A host of the URL that responds, and the server behind it. */
interface RespondingHost extends HostPool {
  readonly server: string;
}

interface SessionRow {
  readonly id: number;
  /** Address and port of the client. */
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
  const pools = await poolsByHost(settings, { settings: { connectionTimeout: CONNECT_LIMIT_MILLIS } });
  try {
    const opened = await Promise.all(pools.map(opening));
    const unknown = opened.filter((result) => typeof result === 'string');
    const responding = opened.filter((result) => typeof result !== 'string');
    const connections = [
      ...own.flatMap((each) => poolOf(each)?.connections ?? []),
      ...responding.flatMap(connectionsOf),
    ];
    const servers = Map.groupBy(responding, ({ server }) => server);
    const found = await untilNone(async () => {
      const ofServers = Array.from(servers.values(), (sameServer) => sessionsAt(sameServer, connections));
      return (await Promise.all(ofServers)).flat();
    });
    return [...found, ...unknown];
  } finally {
    await Promise.all(pools.map(({ pool }) => pool.close()));
  }
}

/** Returns a sentence for a host that does not respond, since it may have sessions. */
async function opening(hostPool: HostPool): Promise<RespondingHost | string> {
  const { host, pool } = hostPool;
  try {
    await pool.openFirst();
    const [row] = await rowsOf<{ readonly server: string }>(pool, SERVER);
    return { ...hostPool, server: row?.server ?? '' };
  } catch (error) {
    return `${host.name}:${host.port} was not asked (${driverCode(error)})`;
  }
}

function connectionsOf({ pool }: RespondingHost): readonly ServerConnection[] {
  return pool.connections;
}

/** Returns the number of sessions of each client, such as `10 from 10.0.0.7`; `hosts` are names of one server. */
async function sessionsAt(
  hosts: readonly RespondingHost[],
  own: readonly ServerConnection[],
): Promise<readonly string[]> {
  const isOfServer = ({ host }: ServerConnection): boolean =>
    hosts.some(({ host: { name, port } }) => host.name === name && host.port === port);
  const ownIds = new Set(own.filter(isOfServer).map(({ driver }) => driver.threadId));
  const rows = (await Promise.all(hosts.map(({ pool }) => rowsOf<SessionRow>(pool, SESSIONS)))).flat();
  const others = new Map(rows.filter(({ id }) => !ownIds.has(id)).map(({ id, client }) => [id, client]));
  const clients = Map.groupBy(others.values(), (client) => client.replace(/:\d+$/, ''));
  return Array.from(clients, ([client, sessions]) => `${sessions.length} from ${client}`);
}

async function rowsOf<T>(pool: ServerPool, statement: string): Promise<readonly T[]> {
  const lease = await pool.borrow();
  try {
    return (await lease.connection.query(statement)) as readonly T[];
  } finally {
    lease.release();
  }
}
