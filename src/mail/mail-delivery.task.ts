import { Injectable } from '@nestjs/common';
import type { BackgroundLoop } from '../tasks/repeat.js';
import { ScheduledTasks } from '../tasks/scheduled-tasks.js';
import { MailDispatch } from './mail-dispatch.service.js';
import type { MailRow } from './mail-message.js';
import { MailQueue } from './mail-queue.service.js';
import { MailProperties } from './mail.properties.js';
import { SmtpRelay } from './smtp-relay.service.js';

/** Limits how long shutdown waits for mails that are being sent; the rest of the shutdown needs its time too. */
const DRAIN_MILLIS = 5000;

/**
 * Sends the stored mails, in the background of every replica. A turn only claims mails and begins to send them, so that a
 * relay that hangs delays neither a shutdown nor mails for which a connection is free.
 */
@Injectable()
export class MailDelivery {
  private readonly loop: BackgroundLoop | undefined;
  private readonly sending = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  private isWoken = false;

  constructor(
    private readonly dispatch: MailDispatch,
    private readonly relay: SmtpRelay,
    private readonly properties: MailProperties,
    queue: MailQueue,
    tasks: ScheduledTasks,
  ) {
    if (!queue.isEnabled) return;
    this.loop = tasks.repeat(
      'MailDelivery.deliver',
      {
        kind: 'custom',
        trigger: `at once after a mail is stored, otherwise every ${properties.pollInterval.toString()}`,
        initialDelayMillis: 0,
        delayMillis: () => this.delayMillis(),
        lastStep: { limitMillis: DRAIN_MILLIS, run: (signal) => this.drain(signal) },
      },
      () => this.deliver(),
    );
    queue.onAdded(() => {
      if (relay.state.pauseMillis === 0) this.wake();
    });
  }

  private wake(): void {
    if (this.isWoken) return;
    this.isWoken = true;
    void this.loop?.runNow();
  }

  private async deliver(): Promise<void> {
    this.isWoken = false;
    const free = this.relay.state.pauseMillis > 0 ? 0 : this.properties.poolSize - this.sending.size;
    const rows = free > 0 ? await this.dispatch.claim(free) : [];
    for (const row of rows) this.begin(row);
  }

  /** Each end of a sending wakes the loop: a connection is free, or the relay needs a pause. */
  private begin(row: MailRow): void {
    const sent = this.dispatch.deliver(row, this.stopping.signal).then(() => {
      this.sending.delete(sent);
      this.wake();
    });
    this.sending.add(sent);
  }

  private delayMillis(): number {
    const { milliseconds } = this.properties.pollInterval;
    const paused = this.relay.state.pauseMillis;
    return paused > 0 ? Math.min(paused, milliseconds) : milliseconds;
  }

  /** Lets the mails end that are being sent, until `signal` is aborted; those that did not end are sent by another replica. */
  private async drain(signal: AbortSignal): Promise<void> {
    const abort = (): void => {
      this.stopping.abort();
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    await Promise.all(this.sending);
    await this.relay.close();
  }
}
