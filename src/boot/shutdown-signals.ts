const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Thrown when startup is interrupted by a request to stop. */
export class StartInterrupted extends Error {
  constructor() {
    super('asked to stop');
    this.name = 'StartStopped';
  }
}

/**
 * The signals that end the process in good order, heard from its first moment. One that comes while the service starts is
 * kept until the step in progress is done, such as a change of the tables; a second one ends the process at once.
 */
export class ShutdownSignals {
  private hasCome = false;
  private isStopping = false;
  private stop: (() => Promise<void>) | undefined;

  constructor(private report: (line: string) => void) {}

  listen(): void {
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        this.receive();
      });
    }
  }

  /** Sets the reporter for lines about signals. */
  setReporter(say: (line: string) => void): void {
    this.report = say;
  }

  /** @throws StartStopped where a signal has come */
  check(): void {
    if (this.isStopping) throw new StartInterrupted();
  }

  /** Ends startup, after `check` did not throw: from now on the first signal runs `stop` and ends the process. */
  onShutdown(stop: () => Promise<void>): void {
    this.stop = stop;
  }

  /** Ends the process as a first signal does; a later signal is then the first one. */
  requestStop(): void {
    if (this.isStopping) return;
    this.isStopping = true;
    if (!this.stop) {
      this.report('Stopping: the start is left as soon as its present step is done');
      return;
    }
    this.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  }

  private receive(): void {
    // A second signal ends the process at once.
    if (this.hasCome) process.exit(1);
    this.hasCome = true;
    this.requestStop();
  }
}
