import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import { LineLimit } from '../../observability/logging/line-limit.js';
import type { LogFields } from '../../observability/logging/log-line.js';
import type { Logger } from '../../observability/logging/logger.js';
import { Loggers } from '../../observability/logging/loggers.js';
import { Meters } from '../../observability/metrics/meters.js';
import { CONDITIONS, isLasting } from './engines/database-condition.js';
import { classifyFailure, conditionOf, driverCode, type DriverFailure } from './engines/driver-failure.js';
import { PoolTimeout } from './pool/connection-pool.js';
import { PoolMeters } from './pool/pool-meters.js';
import { StatementOutput } from './statement-output.js';

/** The database counts as unwritable for this time after the latest failure: writes may succeed that need no more space. */
const UNWRITABLE_MILLIS = 30_000;

type Outcome = 'tried_again' | 'given_up';

const MESSAGES: Readonly<Record<Outcome, string>> = {
  tried_again: 'A unit of work succeeded after a retry',
  given_up: 'A unit of work failed in the database',
};

/**
 * Logger `orm.sql`: at `DEBUG`, every statement with its duration, without its values, which may be secrets. Prints
 * statements to standard output if `app.jpa.show-sql` says so.
 */
export class StatementLog {
  constructor(
    private readonly logger: Logger,
    private readonly output = new StatementOutput(),
  ) {}

  get isEnabled(): boolean {
    return this.output.isPrinted || this.logger.isEnabled('DEBUG');
  }

  /** Runs a statement and shows it, whether or not it succeeds. */
  async log<T>(sql: string, run: () => Promise<T>): Promise<T> {
    if (this.output.isPrinted) this.output.print(sql);
    if (!this.logger.isEnabled('DEBUG')) return run();
    const begun = performance.now();
    try {
      const result = await run();
      this.write(sql, begun);
      return result;
    } catch (error) {
      this.write(sql, begun, classifyFailure(error) ?? driverCode(error));
      throw error;
    }
  }

  private write(sql: string, begun: number, failure?: string): void {
    const millis = Math.round((performance.now() - begun) * 1000) / 1000;
    // A line break inside a message would be shown as an escape sequence, so each line is a message.
    const lines = this.output.lines(sql);
    for (const line of lines.slice(0, -1)) this.logger.debug(line);
    this.logger.debug(lines.at(-1) ?? '', withoutUndefined({ millis, failure }));
  }
}

/** Logger `persistence`: repeated and failed units of work, with codes of the driver that contain no data. */
export class RetryLog {
  private readonly limit: LineLimit;
  private lasting: { readonly reason: string; readonly at: number } | undefined;

  constructor(
    private readonly logger: Logger,
    private readonly poolName: string,
    /** Milliseconds of a monotonic clock. */
    private readonly now = () => performance.now(),
  ) {
    this.limit = new LineLimit(now);
  }

  /** Reason of the last failure of a unit of work that only an operator can end, if it is at most half a minute old. */
  get lastingFailure(): string | undefined {
    const { reason, at } = this.lasting ?? { at: -Infinity };
    return this.now() - at < UNWRITABLE_MILLIS ? reason : undefined;
  }

  /** `attempts` is the number of attempts so far. */
  report(outcome: Outcome, failure: DriverFailure, attempts: number, error: unknown): void {
    const driver = driverCode(error);
    const condition = conditionOf(error);
    const reason = condition && CONDITIONS[condition];
    if (reason && isLasting(condition) && outcome === 'given_up') this.lasting = { reason, at: this.now() };
    const admitted = this.limit.admit(`${outcome} ${failure} ${condition ?? driver}`);
    if (!admitted) return;
    this.logger.warn(MESSAGES[outcome], {
      ...{ pool: this.poolName, failure, driver, tries: attempts },
      ...(reason && { reason }),
      ...(error instanceof PoolTimeout && countsOf(error)),
      ...admitted,
    });
  }
}

/** Meters and logs of the database. */
export class DatabaseInstrumentation {
  readonly pool: PoolMeters;
  readonly statements: StatementLog;
  readonly retries: RetryLog;

  /** `now` gives the milliseconds of a monotonic clock. */
  constructor(
    meters = new Meters(),
    loggers = new Loggers(),
    poolName = 'pool-1',
    output?: StatementOutput,
    now?: () => number,
  ) {
    this.pool = new PoolMeters(meters, poolName);
    this.statements = new StatementLog(loggers.get('orm.sql'), output);
    this.retries = new RetryLog(loggers.get('persistence'), poolName, now);
  }
}

/** Fields of the log for an exhausted pool: its connections by state, and the code of the last error. */
function countsOf({ state, cause }: PoolTimeout): LogFields {
  const { open: total, active, idle, pending: waiting } = state;
  return { total, active, idle, waiting, ...(cause !== undefined && { cause: driverCode(cause) }) };
}
