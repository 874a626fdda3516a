/** What a startup does while it waits for another process. */
export abstract class StartupWait {
  /** Runs the wait, and returns its result. */
  abstract during<T>(wait: () => Promise<T>): Promise<T>;
}
