import type { Meters } from '../../../observability/metrics/meters.js';

/** The slot of a request, or its place in the queue for one. */
export interface Slot {
  readonly isWaiting: boolean;
  /** Releases the slot or place; a second call does nothing. */
  leave(): void;
}

class HeldSlot implements Slot {
  private hasLeft = false;

  constructor(
    private readonly admission: Admission,
    /** Called when a slot becomes free; undefined for one that was free at once. */
    private onTurn: (() => void) | undefined,
  ) {}

  get isWaiting(): boolean {
    return this.onTurn !== undefined;
  }

  start(): void {
    const onTurn = this.onTurn;
    this.onTurn = undefined;
    onTurn?.();
  }

  leave(): void {
    if (this.hasLeft) return;
    this.hasLeft = true;
    this.admission.left(this);
  }
}

/**
 * Limits requests in progress to `limit`, with `queueLength` more waiting in the order of their arrival (specification,
 * "Embedded web server threads and connections").
 */
export class Admission {
  private taken = 0;
  private readonly queue = new Set<HeldSlot>();
  /** Time at which a slot was last taken or released, in milliseconds of `performance.now`. */
  private movedAt = 0;

  constructor(
    readonly limit: number,
    private readonly queueLength: number,
    private readonly onRejected: () => void = () => undefined,
  ) {}

  /** `Admission` with its meters (management API, 5.3). */
  static metered(meters: Meters, limit: number, queueLength: number, onRejected: () => void): Admission {
    const admission = new Admission(limit, queueLength, onRejected);
    meters.gauge(
      'embedded.threads.busy',
      { description: 'Requests that have a slot (server.embedded.threads.max)' },
      () => admission.running,
    );
    meters.gauge('embedded.threads.config.max', { description: 'server.embedded.threads.max' }, () => limit);
    meters.gauge(
      'embedded.queue.size',
      { description: 'Requests that wait for a slot (server.embedded.accept-count)' },
      () => admission.waiting,
    );
    return admission;
  }

  /** Number of requests that have a slot. */
  get running(): number {
    return this.taken;
  }

  /** Number of requests that wait for a slot. */
  get waiting(): number {
    return this.queue.size;
  }

  /** True if the next request would have to wait or be rejected. */
  get isBusy(): boolean {
    return this.taken >= this.limit;
  }

  /** True if the next request would be rejected. */
  get isFull(): boolean {
    return this.isBusy && this.queue.size >= this.queueLength;
  }

  /** True if all slots are taken and none was taken or released within `limitMillis`. */
  isStuck(limitMillis: number): boolean {
    return this.isBusy && performance.now() - this.movedAt > limitMillis;
  }

  /** Rejects a request if the limit is reached. */
  rejectIfFull(): boolean {
    const { isFull } = this;
    if (isFull) this.onRejected();
    return isFull;
  }

  /**
   * Takes a slot or a place in the queue; undefined for a rejected request. `onTurn` is called later if the request has
   * to wait. One that `isDue` has waited for its turn elsewhere, and is never rejected.
   */
  enter(onTurn: () => void, isDue = false): Slot | undefined {
    if (!isDue && this.rejectIfFull()) return undefined;
    if (!this.isBusy) {
      this.taken += 1;
      this.movedAt = performance.now();
      return new HeldSlot(this, undefined);
    }
    const waiting = new HeldSlot(this, onTurn);
    this.queue.add(waiting);
    return waiting;
  }

  /** Hands the slot to the next request; called by slots only. */
  left(slot: HeldSlot): void {
    if (this.queue.delete(slot)) return;
    this.movedAt = performance.now();
    const [next] = this.queue;
    if (next) {
      this.queue.delete(next);
      next.start();
    } else {
      this.taken -= 1;
    }
  }
}
