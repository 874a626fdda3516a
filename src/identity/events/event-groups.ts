import { isDatabaseOutage } from '../../platform/persistence/unit-of-work.js';
import type { EventRow } from './event-line.js';

/** Calls that one statement stores; each number of rows is another statement to prepare. */
const MAX_CALLS = 16;

/** Rows of several calls, in the order of the calls. */
interface Group {
  readonly rows: EventRow[];
  calls: number;
  /** Resolves once all rows are committed. */
  readonly stored: PromiseWithResolvers<undefined>;
}

/** Stores rows outside of transactions: those that arrive while a statement runs share the next one. */
export class EventGroups {
  private readonly waiting: Group[] = [];
  private isRunning = false;

  /** `insert` stores all rows in one statement. */
  constructor(private readonly insert: (rows: readonly EventRow[]) => Promise<void>) {}

  /** Resolves once the rows are committed. */
  async store(rows: readonly EventRow[]): Promise<void> {
    const group = this.joined(rows);
    try {
      await group.stored.promise;
    } catch (error) {
      if (group.calls === 1 || isDatabaseOutage(error)) throw error;
      // Rows that cannot be stored must not affect those of other calls.
      await this.insert(rows);
    }
  }

  private joined(rows: readonly EventRow[]): Group {
    let group = this.waiting.at(-1);
    if (group === undefined || group.calls >= MAX_CALLS) {
      group = { rows: [], calls: 0, stored: Promise.withResolvers<undefined>() };
      this.waiting.push(group);
    }
    group.rows.push(...rows);
    group.calls += 1;
    if (!this.isRunning) void this.run();
    return group;
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    for (let group = this.waiting.shift(); group !== undefined; group = this.waiting.shift()) {
      try {
        await this.insert(group.rows);
        group.stored.resolve(undefined);
      } catch (error) {
        group.stored.reject(error);
        // Each of them would wait for the same unavailable database, one after the other.
        if (isDatabaseOutage(error)) for (const { stored } of this.waiting.splice(0)) stored.reject(error);
      }
    }
    this.isRunning = false;
  }
}
