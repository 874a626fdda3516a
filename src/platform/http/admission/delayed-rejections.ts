import type { Socket } from 'node:net';

/** Responses that wait at the same time: each holds its connection, with what the client has sent of the body. */
const MAX_DELAYED = 2048;
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
  /** In the order of their times. */
  private readonly delayed = new Set<DelayedResponse>();
  private timer: NodeJS.Timeout | undefined;
  private isOver = false;

  /** Calls `respond` once, also if the client disconnects; with `false` if the response was not delayed. */
  delay(socket: Socket, respond: (wasDelayed: boolean) => void): void {
    if (this.isOver || this.delayed.size >= MAX_DELAYED) {
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
    this.timer ??= setTimeout(() => this.sendDue(), GROUP_MILLIS);
  }

  /** Sends all responses at once, and later ones without a delay: a shutdown does not wait for them. */
  flush(): void {
    this.isOver = true;
    clearTimeout(this.timer);
    for (const { end } of [...this.delayed]) end();
  }

  private sendDue(): void {
    const now = performance.now();
    for (const { dueAt, end } of this.delayed) {
      if (dueAt > now) break;
      end();
    }
    this.timer = this.delayed.size === 0 ? undefined : setTimeout(() => this.sendDue(), GROUP_MILLIS);
  }
}
