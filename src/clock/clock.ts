/** The one source of time: instants of tokens, locks and steps come from here, never from the database. */
export abstract class Clock {
  /** Milliseconds since 1970. */
  abstract millis(): number;

  /** Whole seconds since 1970, the unit of everything that is stored. */
  seconds(): number {
    return Math.floor(this.millis() / 1000);
  }
}

/** The clock of the machine. */
export class SystemClock extends Clock {
  millis(): number {
    return Date.now();
  }
}
