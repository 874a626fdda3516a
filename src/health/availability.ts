/** The state of the process for orchestrators and load balancers (management API, "Probes"). */
export class Availability {
  private state: 'starting' | 'started' | 'ready' | 'stopping' = 'starting';

  /** False if only a restart helps; never depends on another system. */
  get isLive(): boolean {
    return this.state !== 'starting';
  }

  /** True if the process accepts requests. */
  get isReady(): boolean {
    return this.state === 'ready';
  }

  /** All components are initialised, but the listeners may not be open yet. */
  started(): void {
    this.state = 'started';
  }

  ready(): void {
    this.state = 'ready';
  }

  stopping(): void {
    this.state = 'stopping';
  }
}
