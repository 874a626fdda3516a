import { AsyncLocalStorage } from 'node:async_hooks';
import type { Socket } from 'node:net';

const DELAY_MILLIS = 1000;
/** Responses are sent in groups: waking up for each of them costs about as much as the response. */
const GROUP_MILLIS = 100;

interface DelayedResponse {
  /** Time from which on it may be sent, in milliseconds of `performance.now`. */
  readonly dueAt: number;
  readonly end: () => void;
}

/**
 * Delays the responses to rejected sign-ins: a client that repeats at once, without regard to `Retry-After`, would otherwise
 * keep the event loop busy, which has priority over the workers. Beyond a limit, responses are sent at once.
 */
export class DelayedRejections {
  /** The timer belongs to many requests: it must run in the context of none of them. */
  private readonly inBackground = AsyncLocalStorage.snapshot();
  /** In the order of their times. */
  private readonly delayed = new Set<DelayedResponse>();
  private timer: NodeJS.Timeout | undefined;
  private isOver = false;

  /** `capacity` is the number of responses that wait at the same time: each holds its connection. */
  constructor(private readonly capacity: number) {}

  /** Calls `respond` once, also if the client disconnects; with `false` if the response was not delayed. */
  delay(socket: Socket, respond: (wasDelayed: boolean) => void): void {
    if (this.isOver || this.delayed.size >= this.capacity) {
      respond(false);
      return;
    }
    const response: DelayedResponse = {
      dueAt: performance.now() + DELAY_MILLIS,
      end: () => {
        this.delayed.delete(response);
        socket.off('close', response.end);
        respond(!this.isOver);
      },
    };
    this.delayed.add(response);
    socket.once('close', response.end);
    this.sendLater();
  }

  /** Sends all responses at once, and later ones without a delay: a shutdown does not wait for them. */
  flush(): void {
    this.isOver = true;
    clearTimeout(this.timer);
    for (const { end } of [...this.delayed]) end();
  }

  private sendLater(): void {
    this.timer ??= this.inBackground(() => setTimeout(() => this.sendDue(), GROUP_MILLIS));
  }

  private sendDue(): void {
    this.timer = undefined;
    const now = performance.now();
    try {
      for (const { dueAt, end } of this.delayed) {
        if (dueAt > now) break;
        end();
      }
    } finally {
      if (this.delayed.size > 0) this.sendLater();
    }
  }
}
