/** Runs the wait of a startup for another process. */
export abstract class StartupWait {
  /** Runs the wait, and returns its result. */
  abstract during<T>(wait: () => Promise<T>): Promise<T>;
}
