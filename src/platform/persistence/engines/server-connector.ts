import { connect } from 'node:net';
import type { Connection, ConnectionOptions } from 'mysql2';
import { withTimeout } from '../../../kernel/clock/with-timeout.js';
import type { Host } from '../jdbc/jdbc-url.js';
import { AbandonedSessions, END_LIMIT_MILLIS } from './abandoned-sessions.js';
import { isUnknownVariable, isWaitTimeout, SyncWaitFailed } from './driver-failure.js';
import { ServerConnection } from './server-connection.js';
import { setSessionState } from './session-state.js';

/** Facts about a new session. Only MariaDB, unless it was built without Galera, can belong to a cluster. */
const FACTS = `SELECT CONNECTION_ID() AS id, @@GLOBAL.read_only AS read_only,
  (SELECT HOST FROM information_schema.PROCESSLIST WHERE ID = CONNECTION_ID()) AS client`;
const CLUSTER_FACT = '/*M!100000 , @@wsrep_on AS of_cluster */';

type Flag = number | string;

interface FactsRow {
  readonly id: number;
  readonly client: string | null;
  readonly read_only: Flag;
  readonly of_cluster?: Flag;
}

/** Time for which a host that failed or was read-only is tried after the others. */
const AVOIDED_MILLIS = 10_000;
/** Interval of TCP keep-alive, which finds connections that a firewall has dropped silently. */
const KEEP_ALIVE_MILLIS = 60_000;

export interface ConnectorOptions {
  /** At least one host, in the order of the URL. */
  readonly hosts: readonly Host[];
  readonly driver: ConnectionOptions;
  /** Time limit for one host; 0 leaves it to the operating system. */
  readonly limitMillis: number;
  readonly testQuery?: string | undefined;
  /** The time zone of each session; undefined leaves it to the server. */
  readonly timeZone?: string | undefined;
}

/** Opens connections to the first host that accepts one and can be written to. */
export class ServerConnector {
  private readonly avoidedUntil = new Map<Host, number>();
  private readonly leftAt = new Map<Host, number>();
  private readonly abandonedAt = new Map<Host, AbandonedSessions>();

  constructor(private readonly options: ConnectorOptions) {}

  /** Opens a connection to the first host that accepts one. @throws the error of the last host */
  async open(): Promise<ServerConnection> {
    const hosts = this.inOrder();
    let failure: unknown;
    for (const host of hosts) {
      const begun = performance.now();
      try {
        const connection = await this.openAt(host, this.options.limitMillis);
        await this.rejectReadOnly(connection);
        // The last one is used even so: its statement reports what is wrong, while further attempts would have no end.
        if (host === hosts.at(-1) || (this.leftAt.get(host) ?? -Infinity) < begun) return connection;
        await connection.end();
      } catch (error) {
        failure = error;
        this.avoid(host);
      }
    }
    throw failure instanceof Error ? failure : new Error(`none of ${hosts.length} hosts accepts connections`);
  }

  /** Tries the other hosts first for some time, also for connections that are opening at this one. */
  leave(host: Host): void {
    this.leftAt.set(host, performance.now());
    this.avoid(host);
  }

  /** Tries the other hosts first for some time. */
  private avoid(host: Host): void {
    this.avoidedUntil.set(host, performance.now() + AVOIDED_MILLIS);
  }

  private inOrder(): readonly Host[] {
    const now = performance.now();
    const isAvoided = (host: Host): number => ((this.avoidedUntil.get(host) ?? 0) > now ? 1 : 0);
    return this.options.hosts.toSorted((a, b) => isAvoided(a) - isAvoided(b));
  }

  private abandoned(host: Host): AbandonedSessions {
    let sessions = this.abandonedAt.get(host);
    if (sessions === undefined) {
      sessions = new AbandonedSessions(() => this.openAt(host, END_LIMIT_MILLIS));
      this.abandonedAt.set(host, sessions);
    }
    return sessions;
  }

  private async openAt(host: Host, limitMillis: number): Promise<ServerConnection> {
    const { createConnection } = await import('mysql2');
    const { driver: options, testQuery } = this.options;
    const socket = connect({
      host: host.name,
      port: host.port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_MILLIS,
    });
    const driver = createConnection({
      ...options,
      host: host.name,
      port: host.port,
      stream: () => socket,
      connectTimeout: limitMillis,
    });
    const opened = connected(driver).then(() =>
      this.prepared(new ServerConnection(driver, socket, host, this.abandoned(host), testQuery)),
    );
    try {
      if (limitMillis === 0) return await opened;
      return await withTimeout(opened, limitMillis, throwTimeout, { readsSocketsFirst: true });
    } catch (error) {
      driver.destroy();
      socket.destroy();
      throw error;
    }
  }

  private async prepared(connection: ServerConnection): Promise<ServerConnection> {
    await setSessionState(connection, this.options.timeZone);
    const { id, client, read_only: readOnly, of_cluster: ofCluster = 0 } = await factsOf(connection);
    connection.isReadOnly = isOn(readOnly);
    connection.isOfCluster = isOn(ofCluster);
    if (client !== null) connection.session = { id, client };
    return connection;
  }

  /** Rejects a read-only host, but not a single one: it may become writable again, and reads succeed meanwhile. */
  private async rejectReadOnly(connection: ServerConnection): Promise<void> {
    if (this.options.hosts.length === 1 || !connection.isReadOnly) return;
    await connection.end();
    throw Object.assign(new Error('the server is read-only'), { code: 'POOL_READ_ONLY' });
  }
}

function connected(driver: Connection): Promise<void> {
  return new Promise((resolve, reject) => {
    // The driver may report more than one error.
    driver.on('error', reject);
    driver.once('connect', () => {
      resolve();
    });
  });
}

async function factsOf(connection: ServerConnection): Promise<FactsRow> {
  try {
    const rows = await connection.query(`${FACTS} ${CLUSTER_FACT}`).catch((error: unknown) => {
      if (!isUnknownVariable(error)) throw error;
      return connection.query(FACTS);
    });
    const [row] = rows as readonly FactsRow[];
    if (!row) throw new TypeError('a SELECT without tables has one row');
    return row;
  } catch (error) {
    throw isWaitTimeout(error) ? new SyncWaitFailed(error) : error;
  }
}

/** Any value but 0 and OFF is on, since newer MariaDB versions have several kinds of read-only. */
function isOn(flag: Flag): boolean {
  return flag !== 0 && flag !== 'OFF';
}

function throwTimeout(): never {
  throw Object.assign(new Error('the server did not answer in time'), { code: 'ETIMEDOUT' });
}
