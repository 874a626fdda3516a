import { Injectable } from '@nestjs/common';
import type { BackgroundLoop } from '../../tasks/repeat.js';
import { ScheduledTasks } from '../../tasks/scheduled-tasks.js';
import { TaskExecutor } from '../../tasks/task-executor.js';
import { MailDispatch } from './mail-dispatch.service.js';
import type { MailRow } from '../mail-message.js';
import { MailQueue } from '../mail-queue.service.js';
import { MailProperties } from '../mail.properties.js';

/** Limits how long shutdown waits for mails that are being sent; the rest of the shutdown needs its time too. */
const DRAIN_MILLIS = 5000;

/**
 * Sends the stored mails, in the background of every replica. A turn only looks for mails and submits a task for each, so
 * that a relay that hangs delays neither a shutdown nor mails for which a connection is free. A task claims its mail when it
 * starts: a mail whose task waits or is rejected stays in its row, for a later turn of any replica.
 */
@Injectable()
export class MailDelivery {
  private readonly loop: BackgroundLoop | undefined;
  /** Running and waiting tasks by mail id. */
  private readonly sending = new Map<string, Promise<void>>();
  private readonly stopping = new AbortController();
  private isWoken = false;

  constructor(
    private readonly dispatch: MailDispatch,
    private readonly properties: MailProperties,
    queue: MailQueue,
    private readonly executor: TaskExecutor,
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
      if (dispatch.pauseMillis === 0) this.wake();
    });
  }

  private wake(): void {
    if (this.isWoken) return;
    this.isWoken = true;
    void this.loop?.runNow();
  }

  private async deliver(): Promise<void> {
    this.isWoken = false;
    const { poolSize } = this.properties;
    const free = this.dispatch.pauseMillis > 0 ? 0 : poolSize - this.sending.size;
    if (free === 0) return;
    // Mails whose tasks wait are still due.
    const due = await this.dispatch.due(poolSize);
    for (const row of due.filter(({ id }) => !this.sending.has(id)).slice(0, free)) this.begin(row);
  }

  /** Submits the task of a mail. Its end wakes the loop, because a connection is free or the relay needs a pause. */
  private begin(row: MailRow): void {
    const task = this.executor.submit('MailDelivery.send', () => this.dispatch.deliver(row, this.stopping.signal));
    if ('rejected' in task) return;
    const end = task.result.then((isHandled) => {
      this.sending.delete(row.id);
      // Without the database, mails wait for the next interval.
      if (isHandled) this.wake();
    });
    this.sending.set(row.id, end);
  }

  private delayMillis(): number {
    const { milliseconds } = this.properties.pollInterval;
    const paused = this.dispatch.pauseMillis;
    return paused > 0 ? Math.min(paused, milliseconds) : milliseconds;
  }

  /** Waits for mails that are being sent until `signal` is aborted; another replica sends those that remain. */
  private async drain(signal: AbortSignal): Promise<void> {
    const abort = (): void => {
      this.stopping.abort();
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    await Promise.all(this.sending.values());
    await this.dispatch.close();
  }
}
