import type { Counter } from '../../../observability/metrics/meter.js';
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
    readonly hashesPassword: boolean,
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
 * "Embedded web server threads and connections"). Requests that hash a password also have a limit of their own, which
 * changes: they wait for each other, and no other request has to wait for them.
 */
export class Admission {
  private taken = 0;
  private hashing = 0;
  private readonly queue = new Set<HeldSlot>();
  /** Time at which a slot was last taken or released, in milliseconds of `performance.now`. */
  private movedAt = 0;

  /** `maxHashing` limits the requests in progress and waiting that hash a password; unlimited by default. */
  constructor(
    readonly limit: number,
    private readonly queueLength: number,
    private readonly maxHashing: () => number = () => Infinity,
    private readonly onRejected: (isFull: boolean) => void = () => undefined,
  ) {}

  /** `Admission` with its meters (management API, 5.3). */
  static metered(meters: Meters, limit: number, queueLength: number, maxHashing: () => number): Admission {
    const counter = (name: string, description: string): Counter => meters.counter(name, { description }).of();
    const rejected = counter('embedded.rejected', 'Requests rejected because a limit of requests was reached');
    const passwordsRejected = counter('embedded.passwords.rejected', 'Requests that embedded.passwords.limit rejected');
    const admission = new Admission(limit, queueLength, maxHashing, (isFull) => {
      rejected.increment();
      if (!isFull) passwordsRejected.increment();
    });
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
    meters.gauge(
      'embedded.passwords.current',
      { description: 'Requests in progress and waiting that hash a password' },
      () => admission.hashing,
    );
    meters.gauge(
      'embedded.passwords.limit',
      { description: 'Their current limit (server.embedded.target-response-time)' },
      () => admission.passwordLimit,
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

  /** The limit in force for requests that hash a password. */
  get passwordLimit(): number {
    return Math.min(this.maxHashing(), this.limit + this.queueLength);
  }

  /** Rejects a request if a limit is reached. */
  rejectIfFull(hashesPassword = false): boolean {
    const { isFull } = this;
    const isRejected = isFull || (hashesPassword && this.hashing >= this.passwordLimit);
    if (isRejected) this.onRejected(isFull);
    return isRejected;
  }

  /**
   * Takes a slot or a place in the queue; undefined for a rejected request. `onTurn` is called later if the request has
   * to wait.
   */
  enter(onTurn: () => void, hashesPassword = false): Slot | undefined {
    if (this.rejectIfFull(hashesPassword)) return undefined;
    if (hashesPassword) this.hashing += 1;
    if (!this.isBusy) {
      this.taken += 1;
      this.movedAt = performance.now();
      return new HeldSlot(this, undefined, hashesPassword);
    }
    const waiting = new HeldSlot(this, onTurn, hashesPassword);
    this.queue.add(waiting);
    return waiting;
  }

  /** Hands the slot to the next request; called by slots only. */
  left(slot: HeldSlot): void {
    if (slot.hashesPassword) this.hashing -= 1;
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
