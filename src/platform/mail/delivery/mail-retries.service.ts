import { Injectable } from '@nestjs/common';
import { Random } from '../../../kernel/random/random.js';
import { MailRetryProperties } from '../mail.properties.js';

/** Maximum pause: after an outage of the relay, mails are sent again within this time. */
const MAX_PAUSE_MILLIS = 30_000;
/** Beyond this exponent every delay is at its limit. */
const MAX_DOUBLINGS = 30;

/** Computes the delays of `app.mail.retry`. All times are in milliseconds. */
@Injectable()
export class MailRetries {
  readonly maxDelayMillis: number;
  private readonly firstMillis: number;

  constructor(
    { firstDelay, maxDelay }: MailRetryProperties,
    private readonly random: Random,
  ) {
    this.firstMillis = firstDelay.milliseconds;
    this.maxDelayMillis = maxDelay.milliseconds;
  }

  /** The delay after the attempt with this number, from 1: it doubles, and is shortened at random by up to a quarter. */
  delayAfter(attempts: number): number {
    return this.doubled(attempts) * (1 - this.random.fraction() / 4);
  }

  /** The pause after a number of consecutive failures of the relay. */
  pauseAfter(failures: number): number {
    return Math.min(this.doubled(failures), MAX_PAUSE_MILLIS);
  }

  private doubled(times: number): number {
    return Math.min(this.firstMillis * 2 ** Math.min(times - 1, MAX_DOUBLINGS), this.maxDelayMillis);
  }
}
