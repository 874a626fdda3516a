import { Injectable } from '@nestjs/common';
import { ServiceError } from '../../kernel/errors/service-error.js';
import { AttemptBudget } from '../../identity/second-factor/attempts/attempt-budget.service.js';
import { AccountLinks } from './account-links.service.js';

/** Ends the lock of a second factor by the link that was mailed about it. */
@Injectable()
export class LockRecovery {
  constructor(
    private readonly links: AccountLinks,
    private readonly locks: AttemptBudget,
  ) {}

  /** The lock level and the failures in a row stay. @throws ServiceError `LINK_INVALID`, also for a link about another lock */
  async unlock(token: string): Promise<void> {
    await this.links.use('unlock', token, async (tx, { account }) => {
      const isUnlocked = await this.locks.endLock(tx, account.id, { reason: 'link' });
      if (!isUnlocked) throw new ServiceError('LINK_INVALID', { reason: 'link outdated' });
    });
  }
}
