const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Thrown when startup is interrupted by a request to stop. */
export class StartInterrupted extends Error {
  constructor() {
    super('startup interrupted');
    this.name = 'StartInterrupted';
  }
}

/**
 * Handles the signals that shut the process down. A signal during startup takes effect after the current step, such as
 * a migration; a second signal ends the process at once.
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

  /** @throws StartInterrupted if a signal was received */
  check(): void {
    if (this.isStopping) throw new StartInterrupted();
  }

  /** Completes startup, after `check` did not throw: from now on the first signal runs `stop` and ends the process. */
  onShutdown(stop: () => Promise<void>): void {
    this.stop = stop;
  }

  /** Ends the process like a first signal; a later signal is then the first one. */
  requestStop(): void {
    if (this.isStopping) return;
    this.isStopping = true;
    if (!this.stop) {
      this.report('Stopping: startup ends after its current step');
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
