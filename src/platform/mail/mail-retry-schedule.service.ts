import { Injectable } from '@nestjs/common';
import { Random } from '../../kernel/random/random.js';
import { pauseAfter, type RetryDelays, retryDelay } from './mail-retries.js';
import { MailRetryProperties } from './mail.properties.js';

/** When mails are tried again: `app.mail.retry`, in milliseconds. */
@Injectable()
export class MailRetrySchedule {
  private readonly delays: RetryDelays;

  constructor(
    { firstDelay, maxDelay }: MailRetryProperties,
    private readonly random: Random,
  ) {
    this.delays = { firstMillis: firstDelay.milliseconds, maxMillis: maxDelay.milliseconds };
  }

  get maxDelayMillis(): number {
    return this.delays.maxMillis;
  }

  /** The delay of a mail after a number of attempts. */
  delayAfter(attempts: number): number {
    return retryDelay(this.delays, attempts, this.random);
  }

  /** The time without attempts after a number of failures of the relay in a row. */
  pauseAfter(failures: number): number {
    return pauseAfter(this.delays, failures);
  }
}
