/** What the process says of itself to whoever starts it again or sends it requests (management API, "Probes"). */
export class Availability {
  private state: 'starting' | 'started' | 'ready' | 'stopping' = 'starting';

  /** False where only a restart helps; never depends on another system. */
  get isLive(): boolean {
    return this.state !== 'starting';
  }

  /** True where requests should be sent here. */
  get isReady(): boolean {
    return this.state === 'ready';
  }

  /** Everything is made, the listeners are not open for everybody yet. */
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
