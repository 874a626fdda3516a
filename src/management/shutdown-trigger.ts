/** Lets a part of the service ask for its end in good order, as a signal does. */
export class ShutdownTrigger {
  private stop: (() => void) | undefined;

  /** From now on `stop` is called by whoever asks; before that, asking does nothing. */
  onShutdown(stop: () => void): void {
    this.stop = stop;
  }

  requestStop(): void {
    this.stop?.();
  }
}
