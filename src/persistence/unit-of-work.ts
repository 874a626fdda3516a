import { setTimeout as wait } from 'node:timers/promises';
import { ServiceError } from '../errors/service-error.js';
import type { Random } from '../random/random.js';
import type { DatabaseTrouble } from './engines/retry-log.js';
import { type DriverFailure, failureOf } from './engines/driver-failure.js';

/** What can be stored. */
export type Value = string | number | null | Uint8Array;

/** The same portable SQL on every engine, with `?` for each value. */
export interface Statements {
  /** Runs an insert, update or delete; answers how many rows its condition matched, whether or not a value changed. */
  change(sql: string, values?: readonly Value[]): Promise<number>;
  /** Runs an insert; false when a unique key says that such a row is already there. */
  insert(sql: string, values?: readonly Value[]): Promise<boolean>;
  rows<Row>(sql: string, values?: readonly Value[]): Promise<readonly Row[]>;
}

/** Statements of one transaction. */
export interface Tx extends Statements {
  /** Runs `tell` once what was done is kept, and never otherwise: for lines of a log and numbers of a meter. */
  afterCommit(tell: () => void): void;
}

/** How one engine opens, commits and takes back; the two real ones are `EmbeddedDatabase` and `DatabaseServer`. */
export interface Engine {
  /** How often work is begun that loses against other work before its caller is refused. */
  readonly tries: number;
  /** Runs statements that are kept together or not at all. */
  transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T>;
  /** Runs statements of which each is kept by itself. */
  autocommit<T>(work: (statements: Statements) => Promise<T>): Promise<T>;
}

/** Each has already waited for seconds. */
const TRIES_AFTER_WAITING = 2;
const LONGEST_WAIT_MILLIS = 100;

const OUTAGE = 'database ';

/** True for a request that ended because the database did not do a unit of work. */
export function isDatabaseOutage(error: unknown): boolean {
  return error instanceof ServiceError && error.facts.reason?.startsWith(OUTAGE) === true;
}

/** The only way to a `Tx`. Never `run` inside `run`: pass `tx` on. */
export class UnitOfWork {
  constructor(
    private readonly engine: Engine,
    private readonly random: Random,
    private readonly trouble: DatabaseTrouble,
  ) {}

  /**
   * Runs `work` in one transaction: what it throws takes everything back. Work that lost against another transaction
   * (deadlock, lost certification of a cluster) is run again from its start, so it must not act outside `tx`.
   * @throws ServiceError `UNAVAILABLE` when the database is out of reach or stays busy
   */
  run<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.kept((tells) => this.engine.transaction((statements) => work(new Work(statements, tells))));
  }

  /**
   * Runs one statement that is its own transaction: a read, or a conditional change whose row count decides.
   * @throws ServiceError `UNAVAILABLE`, as `run` does
   */
  single<T>(statement: (tx: Tx) => Promise<T>): Promise<T> {
    return this.kept((tells) => this.engine.autocommit((statements) => statement(new Work(statements, tells))));
  }

  /** What was taken back is not told, and nothing that goes wrong in telling begins work again that is kept. */
  private async kept<T>(attempt: (tells: (() => void)[]) => Promise<T>): Promise<T> {
    let tells: (() => void)[] = [];
    const result = await this.persistent(() => attempt((tells = [])));
    for (const tell of tells) tell();
    return result;
  }

  private async persistent<T>(attempt: () => Promise<T>): Promise<T> {
    let last: { readonly failure: DriverFailure; readonly error: unknown } | undefined;
    for (let tries = 1; ; tries += 1) {
      try {
        const result = await attempt();
        if (last) this.trouble.tell('tried_again', last.failure, tries, last.error);
        return result;
      } catch (error) {
        if (error instanceof ServiceError) throw error;
        const failure = failureOf(error);
        if (failure !== undefined && tries < this.triesAfter(failure)) {
          last = { failure, error };
          // Of two that met, one has to be out of the way when the other comes again.
          await wait((this.random.bytes(1).readUInt8() / 255) * Math.min(2 ** tries, LONGEST_WAIT_MILLIS));
          continue;
        }
        if (failure === undefined || failure === 'duplicate') throw error;
        this.trouble.tell('given_up', failure, tries, error);
        throw new ServiceError('UNAVAILABLE', { retryAfterSeconds: 1, reason: OUTAGE + failure, cause: error });
      }
    }
  }

  private triesAfter(failure: DriverFailure): number {
    if (failure === 'lost') return this.engine.tries;
    return failure === 'waited' ? TRIES_AFTER_WAITING : 0;
  }
}

/** A transaction, and what is to be told of it. */
class Work implements Tx {
  constructor(
    private readonly statements: Statements,
    private readonly tells: (() => void)[],
  ) {}

  change(sql: string, values?: readonly Value[]): Promise<number> {
    return this.statements.change(sql, values);
  }

  insert(sql: string, values?: readonly Value[]): Promise<boolean> {
    return this.statements.insert(sql, values);
  }

  rows<Row>(sql: string, values?: readonly Value[]): Promise<readonly Row[]> {
    return this.statements.rows<Row>(sql, values);
  }

  afterCommit(tell: () => void): void {
    this.tells.push(tell);
  }
}
