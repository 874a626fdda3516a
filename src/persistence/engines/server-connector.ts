import { connect } from 'node:net';
import type { Connection, ConnectionOptions } from 'mysql2';
import { withTimeout } from '../../clock/with-timeout.js';
import type { Host } from '../jdbc/jdbc-url.js';
import { isUnknownVariable, isWaitTimeout, SyncWaitFailed } from './driver-failure.js';
import { ServerConnection } from './server-connection.js';
import { setSessionState } from './session-state.js';

const IS_OF_CLUSTER = 'SELECT @@wsrep_on AS value';
const IS_READ_ONLY = 'SELECT @@GLOBAL.read_only AS value';

/** A host that failed or was read-only is tried after the others for this time. */
const AVOIDED_MILLIS = 10_000;
/** Finds connections whose other side has vanished without a word, such as behind a firewall. */
const KEEP_ALIVE_MILLIS = 60_000;

export interface ConnectorOptions {
  /** At least one, in the order of the URL. */
  readonly hosts: readonly Host[];
  readonly driver: ConnectionOptions;
  /** Limit for one host; 0 leaves it to the operating system. */
  readonly limitMillis: number;
  readonly testQuery?: string | undefined;
  /** The time zone of each session; undefined leaves it to the server. */
  readonly timeZone?: string | undefined;
}

/** Opens connections to the first host that accepts one and can be written to. */
export class ServerConnector {
  private readonly avoidedUntil = new Map<Host, number>();
  private readonly leftAt = new Map<Host, number>();

  constructor(private readonly options: ConnectorOptions) {}

  /** @throws the error of the last host */
  async open(): Promise<ServerConnection> {
    const hosts = this.inOrder();
    let failure: unknown;
    for (const host of hosts) {
      const begun = performance.now();
      try {
        const connection = await this.openAt(host);
        // The last one is used even so: its statement reports what is wrong, while further attempts would have no end.
        if (host === hosts.at(-1) || (this.leftAt.get(host) ?? -Infinity) < begun) return connection;
        connection.end();
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

  private async openAt(host: Host): Promise<ServerConnection> {
    const { createConnection } = await import('mysql2');
    const { driver: options, limitMillis, testQuery } = this.options;
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
    const opened = connected(driver).then(() => this.prepared(new ServerConnection(driver, socket, host, testQuery)));
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
    connection.isOfCluster = await isOfCluster(connection);
    // A single host, such as the address of a cluster, may become writable again, and reads succeed meanwhile.
    if (this.options.hosts.length > 1 && (await isOn(connection, IS_READ_ONLY))) {
      throw Object.assign(new Error('the server is read-only'), { code: 'POOL_READ_ONLY' });
    }
    return connection;
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

/** Only MariaDB knows the setting. */
async function isOfCluster(connection: ServerConnection): Promise<boolean> {
  try {
    return await isOn(connection, IS_OF_CLUSTER);
  } catch (error) {
    if (isWaitTimeout(error)) throw new SyncWaitFailed(error);
    if (!isUnknownVariable(error)) throw error;
    return false;
  }
}

/** True unless the setting that a query reads as `value` is off. */
async function isOn(connection: ServerConnection, query: string): Promise<boolean> {
  const rows = await connection.query(query);
  const [row] = rows as readonly { readonly value: number | string }[];
  // Newer MariaDB has words for several kinds of read-only.
  return row?.value !== 0 && row?.value !== 'OFF';
}

function throwTimeout(): never {
  throw Object.assign(new Error('the server did not answer in time'), { code: 'ETIMEDOUT' });
}
