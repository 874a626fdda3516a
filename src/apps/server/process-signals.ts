import { isatty } from 'node:tty';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;
const STANDARD_INPUT = 0;

/** Thrown when startup is interrupted by a request to stop. */
export class StartInterrupted extends Error {
  constructor() {
    super('startup interrupted');
    this.name = 'StartInterrupted';
  }
}

/**
 * Gives every signal that operators and log rotations send an effect; by default, most of them end the process without a
 * line, and SIGUSR1 opens Node's inspector. A signal to stop takes effect after the current step of startup, such as a
 * migration; a second one ends the process at once.
 */
export class ProcessSignals {
  private hasCome = false;
  private isStopping = false;
  private stop: (() => Promise<void>) | undefined;
  private threads = (): readonly string[] => ['the service is starting'];

  /** With `hasTerminal`, SIGHUP means that the terminal was closed. */
  constructor(
    private report: (line: string) => void,
    private readonly hasTerminal = isatty(STANDARD_INPUT),
  ) {}

  listen(): void {
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        this.receive(signal);
      });
    }
  }

  receive(signal: (typeof SIGNALS)[number]): void {
    if (signal === 'SIGQUIT') for (const line of this.threads()) this.report(`SIGQUIT: ${line}`);
    else if (signal === 'SIGUSR1' || signal === 'SIGUSR2') this.report(`${signal} has no effect`);
    else if (signal === 'SIGHUP' && !this.hasTerminal)
      this.report('SIGHUP: no file is reopened, because each write opens its log file anew');
    else this.receiveStop();
  }

  /** Sets the lines that SIGQUIT reports. */
  onThreadDump(threads: () => readonly string[]): void {
    this.threads = threads;
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

  private receiveStop(): void {
    // A second signal ends the process at once.
    if (this.hasCome) process.exit(1);
    this.hasCome = true;
    this.requestStop();
  }
}
