import type { QueryError, ResultSetHeader, RowDataPacket } from 'mysql2';
import type { Lease } from '../pool/connection-pool.js';
import { classifyFailure, isConnectionLost, isServerGone, isWaitTimeout, SyncWaitFailed } from './driver-failure.js';
import { type ResponseDeadline, ResponseTimeout } from './response-deadline.js';
import { AUTOCOMMIT_ON, type ServerConnection } from './server-connection.js';
import { cancelledAfter } from './statement-cancellation.js';
import type { StatementLog } from '../database-instrumentation.js';
import type { Statements, Value } from '../unit-of-work.js';

/**
 * Savepoint that proves that the transaction is still the one that `begin` began. A node of a cluster may roll a transaction back for
 * one of another node while it prepares a statement; it then reports nothing (MariaDB 10.11), and what follows is a new transaction,
 * which lacks the savepoint.
 */
const BEGUN = 'begun';
const AUTOCOMMIT_OFF = 'SET autocommit = 0';

/**
 * The statements of one connection to MySQL or MariaDB, prepared once on it: the server parses and plans a text once
 * instead of at every call, which TypeORM's way, with the values inside the text, cannot offer. Concurrent statements are
 * sent together and executed in their order, also after one of them has failed.
 */
export class ServerStatements implements Statements {
  private readonly connection: ServerConnection;
  /** Number of statements without a response. */
  private due = 0;
  private hasEnded = false;

  /** `leave` is called if the server rejects statements for now. */
  constructor(
    private readonly lease: Lease<ServerConnection>,
    private readonly deadline: ResponseDeadline,
    private readonly log: StatementLog,
    private readonly leave: () => void,
  ) {
    this.connection = lease.connection;
  }

  /** Returns the connection once all responses have arrived: work that failed may have left statements behind. */
  end(): void {
    this.hasEnded = true;
    this.returnIfUnused();
  }

  async change(sql: string, values: readonly Value[] = [], limitMillis = 0): Promise<number> {
    const { affectedRows } = await this.execute<ResultSetHeader>(sql, values, limitMillis);
    return affectedRows;
  }

  async insert(sql: string, values: readonly Value[] = [], limitMillis = 0): Promise<boolean> {
    try {
      await this.execute<ResultSetHeader>(sql, values, limitMillis);
      return true;
    } catch (error) {
      // The transaction stays open.
      if (classifyFailure(error) === 'duplicate') return false;
      throw error;
    }
  }

  rows<Row>(sql: string, values: readonly Value[] = [], limitMillis = 0): Promise<readonly Row[]> {
    const rows = this.execute<RowDataPacket[]>(sql, values, limitMillis);
    return this.afterSyncWait(rows as Promise<readonly unknown[]> as Promise<Row[]>);
  }

  /**
   * Begins a transaction, together with the statements that follow at once. Without autocommit, a statement that the server
   * executes after a deadlock has rolled the transaction back is not committed either. If an earlier transaction left it
   * off, the first statement begins the transaction. Otherwise two statements begin it: if the server were to kill one of
   * them, the other one would still keep the next statement from being committed.
   */
  async begin(): Promise<void> {
    const { isOfCluster, autocommit } = this.connection;
    const begun: Promise<void>[] = [];
    if (autocommit !== 'off') begun.push(this.setAutocommit('off'));
    if (autocommit !== 'off' || isOfCluster) begun.push(this.afterSyncWait(this.control('START TRANSACTION')));
    if (isOfCluster) begun.push(this.control(`SAVEPOINT ${BEGUN}`));
    await Promise.all(begun);
  }

  /**
   * Makes each statement commit by itself, together with the statements that follow at once: if it fails, these are not
   * committed, and the connection is closed.
   */
  async commitEach(): Promise<void> {
    try {
      await this.setAutocommit('on');
    } catch (error) {
      this.lease.discard();
      throw error;
    }
  }

  /** @throws an error of class `lost` if the transaction is not the one that `begin` began */
  async commit(): Promise<void> {
    if (this.connection.isOfCluster) await this.control(`RELEASE SAVEPOINT ${BEGUN}`);
    await this.control('COMMIT');
  }

  /** Rolls back, or else closes the connection, so that the next transaction does not continue this one. */
  async rollback(): Promise<void> {
    // The first error is the one to report.
    await this.control('ROLLBACK').catch(() => {
      this.lease.discard();
    });
  }

  /**
   * At a node of a cluster, a read and the start of a transaction first wait for what the other nodes have committed. They
   * wait for no row lock, so a timeout is that of this wait. A node that loses the others reports one at once for every read,
   * until it rejects all statements with error 1047, which may take seconds.
   */
  private async afterSyncWait<T>(waiting: Promise<T>): Promise<T> {
    try {
      return await waiting;
    } catch (error) {
      if (!this.connection.isOfCluster || !isWaitTimeout(error)) throw error;
      this.leave();
      throw new SyncWaitFailed(error);
    }
  }

  private async setAutocommit(mode: 'on' | 'off'): Promise<void> {
    // A statement that fails may have taken effect all the same.
    this.connection.autocommit = 'unknown';
    await this.control(mode === 'on' ? AUTOCOMMIT_ON : AUTOCOMMIT_OFF);
    this.connection.autocommit = mode;
  }

  /** Runs a statement that is not prepared, such as `COMMIT`. */
  private async control(sql: string): Promise<void> {
    await this.withDeadline(sql, () =>
      this.sent((callback) => {
        this.connection.driver.query(sql, callback);
      }),
    );
  }

  private execute<R extends ResultSetHeader | RowDataPacket[]>(
    sql: string,
    values: readonly Value[],
    limitMillis: number,
  ): Promise<R> {
    const statement = this.connection.prepared.get(sql);
    const run = (): Promise<R> =>
      statement
        ? this.sent((callback) => {
            statement.execute([...values], callback);
          })
        : this.prepareAndExecute(sql, values);
    if (limitMillis === 0) return this.withDeadline(sql, run);
    return this.withDeadline(sql, () => cancelledAfter(limitMillis, this.lease, run));
  }

  /** Sends a command at once, behind those that are sent already; settles with its result. */
  private sent<R>(add: (callback: (error: QueryError | null, result: R) => void) => void): Promise<R> {
    return new Promise((resolve, reject) => {
      this.connection.pipelining.pipelined(() => {
        add((error, result) => {
          if (error) reject(error);
          else resolve(result);
        });
      });
    });
  }

  /**
   * Later statements wait until the statement is prepared. The driver executes nothing if the preparation fails: on a Galera
   * cluster, that error may be the only report that the transaction was rolled back for one of another node, and what follows
   * would be executed in a new transaction.
   */
  private prepareAndExecute<R>(sql: string, values: readonly Value[]): Promise<R> {
    return new Promise((resolve, reject) => {
      this.connection.driver.execute(sql, [...values], (error: QueryError | null, result) => {
        if (error) {
          reject(error);
          return;
        }
        // Nothing is sent: the driver has kept the statement that it prepared.
        this.connection.driver.prepare(sql, (failure, statement) => {
          if (!failure) this.connection.prepared.set(sql, statement);
        });
        resolve(result as R);
      });
    });
  }

  private async withDeadline<T>(sql: string, run: () => Promise<T>): Promise<T> {
    const limited = (): Promise<T> => this.deadline.response(run);
    this.due += 1;
    try {
      return await (this.log.isEnabled ? this.log.log(sql, limited) : limited());
    } catch (error) {
      if (error instanceof Error) this.react(error);
      throw error;
    } finally {
      this.due -= 1;
      this.returnIfUnused();
    }
  }

  private returnIfUnused(): void {
    if (this.hasEnded && this.due === 0) this.lease.release();
  }

  private react(error: Error): void {
    // After a timeout, a late response would be taken for that of the next statement on this connection.
    if (error instanceof ResponseTimeout || isConnectionLost(error)) this.lease.discard();
    else if (isServerGone(error)) this.leave();
  }
}
