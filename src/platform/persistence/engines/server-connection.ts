import type { Socket } from 'node:net';
import type { Connection } from 'mysql2';
import type { Host } from '../jdbc/jdbc-url.js';
import type { PoolableConnection } from '../pool/connection-pool.js';
import type { AbandonedSessions, ServerSession } from './abandoned-sessions.js';
import { StatementPipelining } from './pipelining.js';
import { PreparedStatements } from './prepared-statements.js';

/** Limit for the server to close a connection that was ended. */
const END_LIMIT_MILLIS = 1000;

export const AUTOCOMMIT_ON = 'SET autocommit = 1';

/** An open connection to MySQL or MariaDB. */
export class ServerConnection implements PoolableConnection {
  readonly pipelining: StatementPipelining;
  /** True if the server is a node of a Galera cluster. */
  isOfCluster = false;
  /** True if the server was read-only when the connection opened. */
  isReadOnly = false;
  /** Set once the connection is open. */
  session: ServerSession | undefined;
  /** Stays off after a transaction until a unit of work needs it on; an idle connection has no open transaction. */
  autocommit: 'on' | 'off' | 'unknown' = 'on';
  readonly prepared: PreparedStatements;

  constructor(
    readonly driver: Connection,
    private readonly socket: Socket,
    readonly host: Host,
    /** The abandoned sessions of the same host. */
    private readonly abandoned: AbandonedSessions,
    /** The statement of `connection-test-query`; if undefined, the ping of the protocol is sent. */
    private readonly testQuery?: string,
  ) {
    this.pipelining = new StatementPipelining(driver);
    this.prepared = new PreparedStatements(driver);
  }

  async test(): Promise<void> {
    if (this.testQuery === undefined) await this.ping();
    else await this.query(this.testQuery);
  }

  /** Sends the ping of the protocol. */
  ping(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.driver.ping((error) => {
        if (error) reject(error);
        else resolve();
      });
    });
  }

  /** Runs a statement that is not prepared, and returns its rows. */
  async query(sql: string): Promise<unknown> {
    await this.commitEach();
    return this.send(sql);
  }

  /** Turns autocommit on for statements that are not part of a unit of work, so that none leaves a transaction open. */
  async commitEach(): Promise<void> {
    if (this.autocommit === 'on') return;
    // A statement that fails may have taken effect all the same.
    this.autocommit = 'unknown';
    await this.send(AUTOCOMMIT_ON);
    this.autocommit = 'on';
  }

  private send(sql: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.driver.query(sql, (error: Error | null, rows: unknown) => {
        if (error) reject(error);
        else resolve(rows);
      });
    });
  }

  end(): Promise<void> {
    this.driver.end();
    const timer = setTimeout(() => this.socket.destroy(), END_LIMIT_MILLIS).unref();
    return new Promise((resolve) => {
      const closed = (): void => {
        clearTimeout(timer);
        resolve();
      };
      if (this.socket.closed) closed();
      else this.socket.once('close', closed);
    });
  }

  destroy(): Promise<void> {
    const { isBusy } = this.pipelining;
    this.driver.destroy();
    // With an error, which the driver reports to all statements that wait for a response.
    this.socket.destroy(Object.assign(new Error('the connection was given up'), { code: 'POOL_DISCONNECTED' }));
    // A session without a statement ends with its connection.
    return isBusy && this.session ? this.abandoned.end(this.session) : Promise.resolve();
  }

  onLost(listener: () => void): void {
    if (this.socket.destroyed) listener();
    this.socket.once('close', listener);
    // The server ends the connection, or the driver finds it in an unknown state.
    this.driver.once('end', listener).once('error', listener);
  }
}
