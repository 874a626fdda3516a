/** A turn that waits for a place. */
interface Waiting {
  readonly dueMillis: number;
  readonly enter: () => void;
}

/** Places for turns that run at the same time; further ones wait in the order in which they are due. */
export class SchedulingPool {
  private readonly waiting: Waiting[] = [];
  private free: number;

  constructor(size: number) {
    this.free = size;
  }

  /**
   * Resolves once a place is free for a turn that was due at `dueMillis` (milliseconds since 1970), which must then call
   * `leave`; with false if the signal was aborted before.
   */
  async enter(dueMillis: number, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    if (this.free > 0) {
      this.free -= 1;
      return true;
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const turn: Waiting = {
      dueMillis,
      enter: () => {
        signal.removeEventListener('abort', giveUp);
        resolve(true);
      },
    };
    const giveUp = (): void => {
      this.waiting.splice(this.waiting.indexOf(turn), 1);
      resolve(false);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    const later = this.waiting.findIndex((each) => each.dueMillis > dueMillis);
    this.waiting.splice(later === -1 ? this.waiting.length : later, 0, turn);
    return promise;
  }

  /** Hands the place of a turn that has ended to the one that has been due for the longest time. */
  leave(): void {
    const next = this.waiting.shift();
    if (next) next.enter();
    else this.free += 1;
  }
}
