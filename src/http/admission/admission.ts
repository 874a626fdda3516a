/** A request's slot, or its place in the queue for one. */
export interface Ticket {
  readonly isWaiting: boolean;
  /** Gives slot or place up; a second time does nothing. */
  leave(): void;
}

class HeldTicket implements Ticket {
  private hasLeft = false;

  constructor(
    private readonly admission: Admission,
    /** Called when a slot becomes free; undefined for one that was free at once. */
    private onTurn: (() => void) | undefined,
  ) {}

  get isWaiting(): boolean {
    return this.onTurn !== undefined;
  }

  /** Its turn has come. */
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
 * Lets `most` requests be in progress at once and `queueLength` more wait, first come, first served (specification,
 * "Embedded web server threads and connections").
 */
export class Admission {
  private taken = 0;
  private readonly queue = new Set<HeldTicket>();

  constructor(
    readonly most: number,
    private readonly queueLength: number,
  ) {}

  /** Requests that have a slot. */
  get running(): number {
    return this.taken;
  }

  /** Requests that wait for one. */
  get waiting(): number {
    return this.queue.size;
  }

  /** The next one would have to wait, or be refused. */
  get isBusy(): boolean {
    return this.taken >= this.most;
  }

  /** The next one would be refused. */
  get isFull(): boolean {
    return this.isBusy && this.queue.size >= this.queueLength;
  }

  /** Undefined where all slots and places are taken; `onTurn` is called, later, where the ticket has to wait. */
  enter(onTurn: () => void): Ticket | undefined {
    if (this.isFull) return undefined;
    if (!this.isBusy) {
      this.taken += 1;
      return new HeldTicket(this, undefined);
    }
    const waiting = new HeldTicket(this, onTurn);
    this.queue.add(waiting);
    return waiting;
  }

  /** For tickets. */
  left(ticket: HeldTicket): void {
    if (this.queue.delete(ticket)) return;
    const [next] = this.queue;
    if (next) {
      this.queue.delete(next);
      next.start();
    } else {
      this.taken -= 1;
    }
  }
}
