import { setTimeout as wait } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import type { Reason } from '../../kernel/errors/reason.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import type { Random } from '../../kernel/random/random.js';
import { inSpan, type Span } from '../../observability/tracing/span.js';
import type { RetryLog } from './database-instrumentation.js';
import type { Dialect } from './dialect.js';
import { type DriverFailure, classifyFailure } from './engines/driver-failure.js';
import { type ReadRepository, repositoryOf } from './repositories.js';
import type { EntityClass } from './schema/expected-schema.js';

/** A value that can be stored. */
export type Value = string | number | null | Uint8Array;

/**
 * The same portable SQL on every engine, with `?` for each value. A server cancels a statement that runs longer than
 * `limitMillis`; the embedded database cannot. 0 sets no limit.
 */
export interface Statements {
  /** Runs an insert, update or delete; returns the number of rows that its condition matched, changed or not. */
  change(sql: string, values?: readonly Value[], limitMillis?: number): Promise<number>;
  /** Runs an insert; returns false if a row with the same unique key exists. */
  insert(sql: string, values?: readonly Value[], limitMillis?: number): Promise<boolean>;
  rows<Row>(sql: string, values?: readonly Value[], limitMillis?: number): Promise<readonly Row[]>;
}

/** Statements of one transaction. */
export interface Tx extends Statements {
  /** Reads entities by statements of this transaction: for pages, lists and exports, which no login waits for. */
  repository<Entity extends object>(entity: EntityClass<Entity>): Promise<ReadRepository<Entity>>;
  /** Runs `listener` after the commit, and never after a rollback: for log lines and meters. */
  afterCommit(listener: () => void): void;
}

/** Begins, commits and rolls back on one engine; the implementations are `EmbeddedDatabase` and `DatabaseServer`. */
export interface Engine {
  readonly dialect: Dialect;
  /** Attempts before the caller gets an error, if other transactions win each time. */
  readonly maxAttempts: number;
  /** Runs statements that are committed together or not at all. */
  transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T>;
  /** Runs statements that are committed one by one. */
  autocommit<T>(work: (statements: Statements) => Promise<T>): Promise<T>;
}

/** Attempts after a lock timeout, since each has already waited for seconds. */
const MAX_ATTEMPTS_AFTER_WAIT = 2;
/** Attempts after a server rejected the statement; the second one has a connection to another server, or to the new primary. */
const MAX_ATTEMPTS_AFTER_MOVE = 3;
const MAX_DELAY_MILLIS = 100;

const OUTAGE = {
  lost: 'database lost',
  waited: 'database waited',
  moved: 'database unreachable',
  unreachable: 'database unreachable',
} as const;
const OUTAGES: ReadonlySet<Reason | undefined> = new Set<Reason>(Object.values(OUTAGE));

/** True for a request that failed because the database did not complete a unit of work. */
export function isDatabaseOutage(error: unknown): boolean {
  return error instanceof ServiceError && OUTAGES.has(error.facts.reason);
}

/** The only way to a `Tx`. Never `run` inside `run`: pass `tx` on. */
export class UnitOfWork {
  constructor(
    private readonly engine: Engine,
    private readonly random: Random,
    private readonly retries: RetryLog,
    private readonly dataSource: DataSource,
  ) {}

  /**
   * Runs `work` in one transaction; an exception rolls it back. Work that lost against another transaction (deadlock,
   * lost certification of a cluster) or that a server rejected, which is read-only or has lost its cluster, is repeated from
   * its start, so it must have no effects outside `tx`.
   * @throws ServiceError `UNAVAILABLE` if the database cannot be reached or stays busy
   */
  run<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.commit('transaction', (listeners) =>
      this.engine.transaction((statements) => this.during(statements, listeners, work)),
    );
  }

  /**
   * Runs statements that are committed one by one: a read, or a conditional change whose row count decides.
   * @throws ServiceError `UNAVAILABLE`, as `run` does
   */
  single<T>(statement: (tx: Tx) => Promise<T>): Promise<T> {
    return this.commit('autocommit', (listeners) =>
      this.engine.autocommit((statements) => this.during(statements, listeners, statement)),
    );
  }

  /** Runs `work` with a transaction that rejects later statements, which could become part of the next one. */
  private async during<T>(statements: Statements, listeners: (() => void)[], work: (tx: Tx) => Promise<T>): Promise<T> {
    const tx = new Transaction(statements, listeners, this.dataSource);
    try {
      return await work(tx);
    } finally {
      tx.end();
    }
  }

  /** Listeners of an attempt that was rolled back are dropped, and a failing listener never repeats committed work. */
  private async commit<T>(kind: string, attempt: (listeners: (() => void)[]) => Promise<T>): Promise<T> {
    let listeners: (() => void)[] = [];
    // Its statements are not traced: their number and their values would disclose more than they explain.
    const result = await inSpan('unit of work', (span) => {
      span?.set({ 'db.system.name': this.engine.dialect, 'login.unit_of_work.kind': kind });
      return this.retry(() => attempt((listeners = [])), span);
    });
    for (const listener of listeners) listener();
    return result;
  }

  private async retry<T>(attempt: () => Promise<T>, span: Span | undefined): Promise<T> {
    let last: { readonly failure: DriverFailure; readonly error: unknown } | undefined;
    for (let attempts = 1; ; attempts += 1) {
      span?.set({ 'login.unit_of_work.attempts': attempts });
      try {
        const result = await attempt();
        if (last) this.retries.report('tried_again', last.failure, attempts, last.error);
        return result;
      } catch (error) {
        if (error instanceof ServiceError) throw error;
        const failure = classifyFailure(error);
        if (failure !== undefined && attempts < this.maxAttemptsAfter(failure)) {
          last = { failure, error };
          // A random delay keeps two transactions from colliding again.
          await wait(this.random.fraction() * Math.min(2 ** attempts, MAX_DELAY_MILLIS));
          continue;
        }
        if (failure === undefined || failure === 'duplicate') throw error;
        this.retries.report('given_up', failure, attempts, error);
        const facts = { retryAfterSeconds: 1, reason: OUTAGE[failure], cause: error, isReported: true };
        throw new ServiceError('UNAVAILABLE', facts);
      }
    }
  }

  private maxAttemptsAfter(failure: DriverFailure): number {
    if (failure === 'lost') return this.engine.maxAttempts;
    if (failure === 'moved') return MAX_ATTEMPTS_AFTER_MOVE;
    return failure === 'waited' ? MAX_ATTEMPTS_AFTER_WAIT : 0;
  }
}

/** A transaction with its listeners. */
class Transaction implements Tx {
  private hasEnded = false;

  constructor(
    private readonly statements: Statements,
    private readonly listeners: (() => void)[],
    private readonly dataSource: DataSource,
  ) {}

  end(): void {
    this.hasEnded = true;
  }

  change(sql: string, values?: readonly Value[], limitMillis?: number): Promise<number> {
    return this.hasEnded ? rejected() : this.statements.change(sql, values, limitMillis);
  }

  insert(sql: string, values?: readonly Value[], limitMillis?: number): Promise<boolean> {
    return this.hasEnded ? rejected() : this.statements.insert(sql, values, limitMillis);
  }

  rows<Row>(sql: string, values?: readonly Value[], limitMillis?: number): Promise<readonly Row[]> {
    return this.hasEnded ? rejected() : this.statements.rows<Row>(sql, values, limitMillis);
  }

  repository<Entity extends object>(entity: EntityClass<Entity>): Promise<ReadRepository<Entity>> {
    return repositoryOf(this.dataSource, entity, (sql, values) => this.rows(sql, values));
  }

  afterCommit(listener: () => void): void {
    this.listeners.push(listener);
  }
}

function rejected(): Promise<never> {
  return Promise.reject(new TypeError('a statement after the end of its unit of work'));
}
