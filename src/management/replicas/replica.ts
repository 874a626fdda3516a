/** A running instance of the service. */
export interface Replica {
  /** Random, new at each startup. */
  readonly id: string;
  readonly host: string;
  readonly version: string;
  /** Seconds since 1970. */
  readonly startedAt: number;
}
