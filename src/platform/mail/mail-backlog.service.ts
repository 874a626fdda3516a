import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { type Tx, UnitOfWork } from '../persistence/unit-of-work.js';
import type { MailRow, MailState } from './mail-message.js';
import { MailMessageStore } from './mail-message.store.js';
import { KEPT_SECONDS } from './mail-queue.service.js';
import { MailRetryProperties } from './mail.properties.js';

/** Page of stored mails. */
export interface BacklogPage {
  readonly state?: MailState | undefined;
  /** Id of the last mail of the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Lists the mails that are not sent yet, and renews failed ones, for operators. */
@Injectable()
export class MailBacklog {
  constructor(
    private readonly store: MailMessageStore,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly retry: MailRetryProperties,
  ) {}

  /** Mails of the page, oldest first. */
  list({ state, after = '', limit }: BacklogPage): Promise<readonly MailRow[]> {
    return this.work.single((tx) => this.store.list(tx, after, state, limit));
  }

  count(): Promise<Readonly<Record<MailState, number>>> {
    return this.work.single((tx) => this.store.count(tx));
  }

  /** Sends a failed mail again as if it were new; false if there is no such mail. */
  resend(id: string, tx?: Tx): Promise<boolean> {
    const now = this.clock.millis();
    const giveUpAt = now + this.retry.giveUpAfter.milliseconds;
    const expiresAt = this.clock.seconds() + KEPT_SECONDS;
    const renew = (on: Tx): Promise<boolean> => this.store.renew(on, id, { now, giveUpAt, expiresAt });
    return tx ? renew(tx) : this.work.single(renew);
  }
}
