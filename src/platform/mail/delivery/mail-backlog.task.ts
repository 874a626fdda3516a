import { Injectable } from '@nestjs/common';
import { Meters } from '../../../observability/metrics/meters.js';
import { ScheduledTasks } from '../../tasks/scheduled-tasks.js';
import { MailBacklog } from '../mail-backlog.service.js';
import { MailSender } from '../mail-sender.service.js';
import { MailProperties } from '../mail.properties.js';

const INITIAL_DELAY_MILLIS = 1000;

/** Counts the stored mails of all replicas for a meter, in the background. */
@Injectable()
export class MailBacklogTask {
  private waiting = 0;

  constructor(
    backlog: MailBacklog,
    { isEnabled }: MailSender,
    { pollInterval }: MailProperties,
    meters: Meters,
    tasks: ScheduledTasks,
  ) {
    const description = 'Mails in the database that wait to be sent, of all replicas';
    meters.gauge('mail.waiting', { description }, () => this.waiting);
    if (!isEnabled) return;
    const intervalMillis = pollInterval.milliseconds;
    const initialDelayMillis = Math.min(INITIAL_DELAY_MILLIS, intervalMillis);
    tasks.repeat('MailBacklog.count', { kind: 'fixedDelay', initialDelayMillis, intervalMillis }, async () => {
      this.waiting = (await backlog.count()).waiting;
    });
  }
}
