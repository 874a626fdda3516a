import type { Logger } from '../../logging/logger.js';
import { type DriverFailure, driverWord } from './driver-failure.js';

/** An outage meets every request: one line a second says as much as thousands. */
const QUIET_MILLIS = 1000;

type Kind = 'tried_again' | 'given_up';

const MESSAGES: Readonly<Record<Kind, string>> = {
  tried_again: 'A unit of work succeeded after it was tried again',
  given_up: 'The database did not do a unit of work',
};

/** Logger `persistence`: what went wrong at the database, in words of drivers that hold nothing of the data. */
export class DatabaseTrouble {
  private readonly told = new Map<string, { at: number; untold: number }>();

  constructor(
    private readonly logger: Logger,
    /** Name of the pool. */
    private readonly pool: string,
  ) {}

  /** `tries` how often it was begun in all. */
  tell(kind: Kind, failure: DriverFailure, tries: number, error: unknown): void {
    const key = `${kind} ${failure}`;
    const now = performance.now();
    const last = this.told.get(key);
    if (last && now - last.at < QUIET_MILLIS) {
      last.untold += 1;
      return;
    }
    const { untold = 0 } = last ?? {};
    this.told.set(key, { at: now, untold: 0 });
    const fields = { pool: this.pool, failure, driver: driverWord(error), tries, ...(untold > 0 && { untold }) };
    this.logger.warn(MESSAGES[kind], fields);
  }
}
