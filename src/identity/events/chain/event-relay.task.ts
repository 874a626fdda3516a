import { Injectable } from '@nestjs/common';
import { KINDS } from '../security-event.js';
import { SecurityEvents } from '../security-events.service.js';
import type { BackgroundLoop } from '../../../platform/tasks/repeat.js';
import { ScheduledTasks } from '../../../platform/tasks/scheduled-tasks.js';
import { EventRelay, type RelayTurn } from './event-relay.service.js';

/** Events of one second share a batch. */
const WAKE_MILLIS = 1000;
/** Also relays events of commands, which wake no replica. */
const IDLE_MILLIS = 5000;
/** For subscribers that cannot wait so long for the events of commands. */
const URGENT_MILLIS = 1000;
const BACKLOG_MILLIS = 50;

/**
 * Relays events in the background of every replica of the service: a second after the first one of this process, and every
 * five seconds, or each second for an urgent subscriber. Commands have no such task, since they lack the subscribers.
 */
@Injectable()
export class EventRelayTask {
  private readonly loop: BackgroundLoop;
  private timer: NodeJS.Timeout | undefined;
  private lastTurn: RelayTurn = 'none';
  /** The last batch that this process has seen. */
  private seen = 0;

  constructor(
    private readonly relay: EventRelay,
    events: SecurityEvents,
    tasks: ScheduledTasks,
  ) {
    this.loop = tasks.repeat(
      'EventRelay.relay',
      {
        kind: 'custom',
        trigger: `${WAKE_MILLIS} ms after an event, and every ${IDLE_MILLIS} ms, or ${URGENT_MILLIS} ms for a subscriber that is urgent`,
        initialDelayMillis: WAKE_MILLIS,
        delayMillis: (failures) => (failures > 0 ? IDLE_MILLIS : this.delayMillis()),
      },
      () => this.turn(),
    );
    for (const kind of KINDS) {
      events.onCommitted(kind, () => {
        this.timer ??= setTimeout(() => this.wake(), WAKE_MILLIS).unref();
      });
    }
  }

  private wake(): void {
    this.timer = undefined;
    void this.loop.runNow();
  }

  /** A replica that finds the batch of another one leaves the next one to it, so that replicas do not halve each second. */
  private async turn(): Promise<void> {
    const last = await this.relay.lastBatch();
    if (last !== this.seen) {
      this.seen = last;
      this.lastTurn = 'lost';
      return;
    }
    this.lastTurn = await this.relay.relay();
    if (this.lastTurn === 'relayed' || this.lastTurn === 'filled') this.seen = last + 1;
  }

  private delayMillis(): number {
    const idle = this.relay.isUrgent ? URGENT_MILLIS : IDLE_MILLIS;
    return { filled: BACKLOG_MILLIS, relayed: idle, none: idle, lost: WAKE_MILLIS }[this.lastTurn];
  }
}
