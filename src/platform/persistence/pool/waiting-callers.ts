import type { LeakWatch } from './leak-watch.js';

/** A caller that asks the pool for a connection. */
export interface Borrower {
  /** Reading of `performance.now` at the request for a connection. */
  readonly requestedAt: number;
  readonly leakWatch: LeakWatch | undefined;
  readonly failsAtOutage: boolean;
}

interface Waiter<L> {
  readonly borrower: Borrower;
  readonly take: (lease: L) => void;
  readonly fail: (error: Error) => void;
}

/** The callers that wait for a lease. They are served in their order, and each has one absolute deadline. */
export class WaitingCallers<L> {
  private readonly waiters = new Set<Waiter<L>>();

  /** Without a limit if `limitMillis` is 0. `timedOut` is called while the caller still counts as waiting. */
  constructor(
    private readonly limitMillis: number,
    private readonly timedOut: () => Error,
  ) {}

  get size(): number {
    return this.waiters.size;
  }

  /** Waits for `serveFirst`; rejects with the error of `timedOut` at the deadline. */
  wait(borrower: Borrower): Promise<L> {
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      let lastTurn: NodeJS.Immediate | undefined;
      const end = (): void => {
        this.waiters.delete(waiter);
        clearTimeout(timer);
        clearImmediate(lastTurn);
      };
      const waiter: Waiter<L> = {
        borrower,
        take: (lease) => {
          end();
          resolve(lease);
        },
        fail: (error) => {
          end();
          reject(error);
        },
      };
      const giveUp = (): void => {
        waiter.fail(this.timedOut());
      };
      this.waiters.add(waiter);
      if (this.limitMillis > 0) {
        // A busy process runs its late timers before it reads its sockets, where a connection may already be.
        timer = setTimeout(() => (lastTurn = setImmediate(giveUp)), this.limitMillis);
      }
    });
  }

  /** Lends to the caller that has waited longest; returns false if no caller waits. */
  serveFirst(lend: (borrower: Borrower) => L): boolean {
    const [waiter] = this.waiters;
    waiter?.take(lend(waiter.borrower));
    return waiter !== undefined;
  }

  /** Ends the waits of all callers that match. */
  fail(error: () => Error, matches: (borrower: Borrower) => boolean = () => true): void {
    for (const { borrower, fail } of this.waiters) if (matches(borrower)) fail(error());
  }
}
