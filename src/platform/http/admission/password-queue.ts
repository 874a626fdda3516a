import type { IncomingHttpHeaders } from 'node:http';
import type { Meters } from '../../../observability/metrics/meters.js';
import type { Slot } from './admission.js';

/** Speed of the workers that hash passwords. */
export interface HashPace {
  readonly workers: number;
  /** Milliseconds from one completed hash to the next while all workers are busy; undefined until it is measured. */
  readonly millis: number | undefined;
}

/** What the listener knows of the sign-ins with a password; the product implements it. */
export interface PasswordWork {
  pace(): HashPace;
  /** Who has signed in before on the device of the request; undefined for an unknown device. */
  ownerOfDevice(headers: IncomingHttpHeaders): string | undefined;
}

export interface PasswordQueueOptions {
  readonly pace: () => HashPace;
  /** Maximum number of requests in progress. */
  readonly slots: number;
  /** Maximum number of requests that wait for a worker. */
  readonly length: number;
  /** Longest wait in milliseconds, as expected at the arrival and as it is. */
  readonly maxWaitMillis: number;
  /** Longest expected wait in milliseconds while the queue stands; 0 if it stays the same. */
  readonly targetMillis: number;
  /** Called for each rejected request. */
  readonly onRejected?: () => void;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
  /** Calls back after some milliseconds. */
  readonly later?: (callback: () => void, millis: number) => unknown;
}

/** Work that the workers always have at hand: the rest waits here, where its order and its number can still change. */
const AHEAD_MILLIS = 100;
/** One hash in progress, and the next one ready: with fewer, workers would be idle. */
const MIN_PER_WORKER = 2;
/** A queue whose shortest wait stays above the target for longer stands (RFC 8289). */
const INTERVAL_MILLIS = 1000;
/** Turns of known devices before one of the others. */
const KNOWN_IN_SEQUENCE = 3;
/** Part of the queue that known devices may take from others. */
const SHARE_OF_KNOWN = 0.5;
/** Places of the devices of one account, which may have any number of device cookies. */
const MAX_PER_OWNER = 2;

/**
 * Queue of the requests that hash a password for callers who are not signed in. They wait in the order of their arrival,
 * known devices before others; a request is rejected if too many wait, or if its wait is expected to be too long, or becomes
 * too long because those in progress wait for something else, such as a silent database. If the queue stands, since more requests arrive than the workers can serve, new ones are admitted for the target only ("Controlled
 * Delay", RFC 8289, at the tail).
 */
export class PasswordQueue {
  private inProgress = 0;
  private readonly known = new Set<Place>();
  private readonly others = new Set<Place>();
  /** Waiting requests of known devices by owner. */
  private readonly owners = new Map<string, number>();
  private knownInSequence = 0;
  /** Since when the oldest request has waited for longer than the target at every start. */
  private slowSince: number | undefined;
  /** True from the first request that came after `slowSince` and waited for too long, until the queue is empty. */
  private isStanding = false;
  private isTimed = false;
  private readonly now: () => number;
  private readonly later: NonNullable<PasswordQueueOptions['later']>;

  constructor(private readonly options: PasswordQueueOptions) {
    this.now = options.now ?? ((): number => performance.now());
    this.later = options.later ?? ((callback, millis): unknown => setTimeout(callback, millis).unref());
  }

  /** `PasswordQueue` with its meters (management API, 5.3). */
  static metered(meters: Meters, options: PasswordQueueOptions): PasswordQueue {
    const rejected = meters
      .counter('embedded.passwords.rejected', { description: 'Sign-ins rejected because their wait would be too long' })
      .of();
    const onRejected = (): void => {
      rejected.increment();
      options.onRejected?.();
    };
    const queue = new PasswordQueue({ ...options, onRejected });
    meters.gauge(
      'embedded.passwords.current',
      { description: 'Requests in progress and waiting that hash a password' },
      () => queue.inProgress + queue.waiting,
    );
    meters.gauge(
      'embedded.passwords.limit',
      { description: 'Their current limit (server.embedded.max-wait, target-response-time and accept-count)' },
      () => queue.limit,
    );
    return queue;
  }

  /** Number of requests that wait. */
  get waiting(): number {
    return this.known.size + this.others.size;
  }

  /** Number of requests in progress and waiting at which a new one is rejected. */
  get limit(): number {
    const { window, millis } = this;
    const most = window + this.length;
    return millis === undefined ? most : Math.max(window, Math.min(most, Math.floor(this.admittedWait / millis) + 1));
  }

  /** True if the next request need not wait. */
  get hasRoom(): boolean {
    return this.waiting === 0 && this.inProgress < this.window;
  }

  /** Expected wait of a request that arrives now, in milliseconds. */
  expectedWait(isKnown = false): number {
    if (this.hasRoom) return 0;
    return (this.inProgress + this.countAhead(isKnown)) * (this.millis ?? 0);
  }

  /** True if a request that arrives now is rejected; `owner` is that of a known device. */
  isRejecting(owner?: string): boolean {
    if (this.hasRoom) return false;
    const isKnown = this.hasPriority(owner);
    const isFull = this.waiting >= this.length && !(isKnown && this.others.size > 0);
    return isFull || this.expectedWait(isKnown) > this.admittedWait;
  }

  /** Rejects a request that `enter` would reject now. */
  rejectIfFull(owner?: string): boolean {
    const isRejected = this.isRejecting(owner);
    if (isRejected) this.options.onRejected?.();
    return isRejected;
  }

  /**
   * Takes a place; undefined for a rejected request. `onTurn` is called later if the request has to wait, with `false` if
   * it is rejected in favour of a known device.
   */
  enter(onTurn: (isAdmitted: boolean) => void, owner?: string): Slot | undefined {
    if (this.rejectIfFull(owner)) return undefined;
    if (this.hasRoom) {
      this.inProgress += 1;
      return new Place(this, this.now());
    }
    if (this.waiting >= this.length) this.rejectNewest();
    const isKnown = this.hasPriority(owner);
    const place = new Place(this, this.now(), { onTurn, owner: isKnown ? owner : undefined });
    if (isKnown) this.count(owner, 1);
    (isKnown ? this.known : this.others).add(place);
    this.time();
    return place;
  }

  /** Hands the place to the next request; called by places only. */
  left(place: Place): void {
    if (this.remove(place)) {
      if (this.waiting === 0) this.reset();
      return;
    }
    this.inProgress -= 1;
    while (this.waiting > 0 && this.inProgress < this.window) this.startNext();
    if (this.waiting === 0) this.reset();
  }

  private reset(): void {
    this.slowSince = undefined;
    this.isStanding = false;
  }

  /** Requests in progress that keep the workers busy. */
  private get window(): number {
    const { slots, pace } = this.options;
    const { millis } = this;
    if (millis === undefined) return slots;
    return Math.min(slots, Math.max(MIN_PER_WORKER * pace().workers, Math.floor(AHEAD_MILLIS / millis)));
  }

  /** Milliseconds between two hashes; fewer requests in progress than workers do not keep all of them busy. */
  private get millis(): number | undefined {
    const { workers, millis } = this.options.pace();
    return millis === undefined ? undefined : (millis * workers) / Math.min(workers, this.options.slots);
  }

  /** Places of the queue: most requests in progress wait for a worker, too. */
  private get length(): number {
    const { length, pace } = this.options;
    return this.millis === undefined ? length : Math.max(0, length + pace().workers - this.window);
  }

  private get admittedWait(): number {
    const { maxWaitMillis, targetMillis } = this.options;
    return this.isStanding && targetMillis > 0 ? Math.min(targetMillis, maxWaitMillis) : maxWaitMillis;
  }

  private countAhead(isKnown: boolean): number {
    const { size } = this.known;
    return isKnown ? size + Math.min(this.others.size, Math.ceil(size / KNOWN_IN_SEQUENCE)) : this.waiting;
  }

  /** A known device beyond the share of its owner, or of all of them, waits like the others. */
  private hasPriority(owner: string | undefined): owner is string {
    if (owner === undefined || this.known.size >= Math.ceil(SHARE_OF_KNOWN * this.length)) return false;
    return (this.owners.get(owner) ?? 0) < MAX_PER_OWNER;
  }

  private count(owner: string, change: number): void {
    const count = (this.owners.get(owner) ?? 0) + change;
    if (count > 0) this.owners.set(owner, count);
    else this.owners.delete(owner);
  }

  private remove(place: Place): boolean {
    if (place.owner !== undefined && this.known.delete(place)) {
      this.count(place.owner, -1);
      return true;
    }
    return this.others.delete(place);
  }

  private rejectNewest(): void {
    const newest = Array.from(this.others).at(-1);
    if (newest) this.reject(newest);
  }

  private reject(place: Place): void {
    this.remove(place);
    this.options.onRejected?.();
    place.start(false);
  }

  /** Arrival of the request that has waited longest. */
  private get oldest(): number {
    const [[known], [other]] = [this.known, this.others];
    return Math.min(known?.since ?? Infinity, other?.since ?? Infinity);
  }

  private time(): void {
    if (this.isTimed || this.waiting === 0) return;
    this.isTimed = true;
    this.later(
      () => {
        this.isTimed = false;
        this.rejectOverdue();
        this.time();
      },
      Math.max(1, this.oldest + this.options.maxWaitMillis - this.now()),
    );
  }

  private rejectOverdue(): void {
    const limit = this.now() - this.options.maxWaitMillis;
    for (const place of [...this.known, ...this.others]) if (place.since <= limit) this.reject(place);
    if (this.waiting === 0) this.reset();
  }

  private startNext(): void {
    const [[known], [other]] = [this.known, this.others];
    const areKnownNext = known !== undefined && (other === undefined || this.knownInSequence < KNOWN_IN_SEQUENCE);
    const next = areKnownNext ? known : other;
    if (!next) return;
    this.watch(this.oldest);
    this.remove(next);
    this.knownInSequence = areKnownNext ? this.knownInSequence + 1 : 0;
    this.inProgress += 1;
    next.start(true);
  }

  /**
   * Decides whether the queue stands; `oldest` is the arrival of the request that has waited longest. A burst that drains does
   * not: those that waited came before the first long wait.
   */
  private watch(oldest: number): void {
    // The waits of a queue that stands are short because of its limit.
    if (this.isStanding) return;
    const now = this.now();
    if (now - oldest <= this.options.targetMillis) {
      this.slowSince = undefined;
      return;
    }
    this.slowSince ??= now;
    this.isStanding = oldest >= this.slowSince && now - this.slowSince >= INTERVAL_MILLIS;
  }
}

/** Place of one request, waiting or in progress. */
class Place implements Slot {
  readonly owner: string | undefined;
  private hasLeft = false;
  private onTurn: ((isAdmitted: boolean) => void) | undefined;

  /** `waiting` for a request that has to wait: what its turn calls, and the owner of its device if that gives it priority. */
  constructor(
    private readonly queue: PasswordQueue,
    /** Time of the arrival. */
    readonly since: number,
    waiting?: { readonly onTurn: (isAdmitted: boolean) => void; readonly owner: string | undefined },
  ) {
    this.owner = waiting?.owner;
    this.onTurn = waiting?.onTurn;
  }

  get isWaiting(): boolean {
    return this.onTurn !== undefined;
  }

  start(isAdmitted: boolean): void {
    const { onTurn } = this;
    this.onTurn = undefined;
    // A rejected request occupies nothing.
    this.hasLeft ||= !isAdmitted;
    onTurn?.(isAdmitted);
  }

  leave(): void {
    if (this.hasLeft) return;
    this.hasLeft = true;
    this.queue.left(this);
  }
}
