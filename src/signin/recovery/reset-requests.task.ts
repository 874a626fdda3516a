import { Injectable } from '@nestjs/common';
import { Accounts } from '../../identity/account/accounts.service.js';
import { pseudonym } from '../../identity/account/login-id.js';
import { GuessThrottle } from '../../identity/account/throttle/guess-throttle.service.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import { isDatabaseOutage } from '../../platform/persistence/unit-of-work.js';
import { setUser } from '../../kernel/principal/request-context.js';
import { Random } from '../../kernel/random/random.js';
import { ScheduledTasks } from '../../platform/tasks/scheduled-tasks.js';
import { type ResetRequest, ResetMails } from './reset-mails.service.js';

const INTERVAL_MILLIS = 1000;
/** Time at shutdown for the requests that wait. */
const LAST_STEP_MILLIS = 5000;
/** Login ids that wait; a bound of the memory, which a minute of requests does not reach. */
const MAX_WAITING = 10_000;

/** Longest target that a mail keeps, in characters. */
const MAX_RETURN_TO = 1500;

/**
 * Requests for a link to reset a password. They only note the login id, so that their responses and their time are alike for
 * every id; a task looks it up later. A killed process loses the requests of the last seconds.
 */
@Injectable()
export class ResetRequests {
  private readonly waiting = new Map<string, ResetRequest>();

  constructor(
    private readonly accounts: Accounts,
    private readonly throttle: GuessThrottle,
    private readonly mails: ResetMails,
    tasks: ScheduledTasks,
    random: Random,
  ) {
    if (!mails.isEnabled) return;
    tasks.repeat(
      'ResetRequests.process',
      {
        kind: 'fixedDelay',
        initialDelayMillis: INTERVAL_MILLIS,
        intervalMillis: INTERVAL_MILLIS,
        // The start of a turn, which takes longer if ids are known, is not predictable.
        jitter: random,
        lastStep: { limitMillis: LAST_STEP_MILLIS, run: (signal) => this.process(signal) },
      },
      (signal) => this.process(signal),
    );
  }

  /** Every request counts like a wrong password. @throws ServiceError `VALIDATION_FAILED`; `RATE_LIMITED`; `UNAVAILABLE` */
  async add(loginId: string, request: ResetRequest): Promise<void> {
    const form = this.accounts.normalise(loginId);
    setUser(pseudonym(form));
    await this.throttle.guard(
      { loginId: form },
      () => {
        if (this.mails.isEnabled) this.note(form, request);
        return Promise.resolve();
      },
      () => false,
    );
  }

  private note(form: string, { language, returnTo = '' }: ResetRequest): void {
    if (this.waiting.size >= MAX_WAITING && !this.waiting.has(form)) {
      throw new ServiceError('UNAVAILABLE', { retryAfterSeconds: 1, reason: 'overloaded' });
    }
    const keepsTarget = returnTo !== '' && returnTo.length <= MAX_RETURN_TO;
    this.waiting.set(form, { language, ...(keepsTarget && { returnTo }) });
  }

  /** Queues the mails of all requests that wait. Those that meet an outage of the database wait for the next turn. */
  private async process(signal: AbortSignal): Promise<void> {
    for (const [form, request] of this.waiting) {
      if (signal.aborted) return;
      this.waiting.delete(form);
      try {
        await this.addMail(form, request);
      } catch (error) {
        if (isDatabaseOutage(error)) this.waiting.set(form, request);
        throw error;
      }
    }
  }

  private async addMail(form: string, request: ResetRequest): Promise<void> {
    const account = await this.accounts.findByUsername(form);
    if (account) await this.mails.addRequested(account, request);
  }
}
