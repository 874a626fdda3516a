/** The state of the process for orchestrators and load balancers (management API, "Probes"). */
export class Availability {
  private state: 'starting' | 'started' | 'ready' | 'stopping' = 'starting';
  private isServing = (): boolean => true;

  /** False if only a restart helps; never depends on another system. */
  get isLive(): boolean {
    return this.state !== 'starting';
  }

  /** True if the process accepts requests and responds to them. */
  get isReady(): boolean {
    return this.state === 'ready' && this.isServing();
  }

  /** All components are initialised, but the listeners may not be open yet. */
  started(): void {
    this.state = 'started';
  }

  /** `isServing` is false while the listener accepts requests and completes none. */
  ready(isServing: () => boolean): void {
    this.state = 'ready';
    this.isServing = isServing;
  }

  stopping(): void {
    this.state = 'stopping';
  }
}
