import { isDatabaseOutage } from '../persistence/unit-of-work.js';
import type { EventRow } from './event-line.js';

/** Calls that one statement stores; each number of rows is another statement to prepare. */
const MAX_CALLS = 16;

/** Rows of several calls, in the order of the calls. */
interface Group {
  readonly rows: EventRow[];
  calls: number;
  /** Resolves once all rows are committed. */
  readonly stored: Promise<void>;
}

/** Stores rows outside of transactions: those that arrive while a statement runs share the next one. */
export class EventGroups {
  private last: Promise<void> = Promise.resolve();
  /** The last group, until its statement begins. */
  private open: Group | undefined;

  /** `insert` stores all rows in one statement. */
  constructor(private readonly insert: (rows: readonly EventRow[]) => Promise<void>) {}

  /** Resolves once the rows are committed. */
  async store(rows: readonly EventRow[]): Promise<void> {
    const group = this.openGroup();
    group.rows.push(...rows);
    group.calls += 1;
    try {
      await group.stored;
    } catch (error) {
      if (group.calls === 1 || isDatabaseOutage(error)) throw error;
      // Rows that cannot be stored must not affect those of other calls.
      await this.insert(rows);
    }
  }

  private openGroup(): Group {
    if (this.open && this.open.calls < MAX_CALLS) return this.open;
    const rows: EventRow[] = [];
    const stored = this.last.then(() => {
      if (this.open === group) this.open = undefined;
      return this.insert(rows);
    });
    const group = { rows, calls: 0, stored };
    this.last = stored.catch(() => undefined);
    this.open = group;
    return group;
  }
}
