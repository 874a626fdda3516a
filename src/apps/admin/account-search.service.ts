import { Injectable } from '@nestjs/common';
import type { Account } from '../../identity/account/account.js';
import {
  ACTIVE,
  type Condition,
  DISABLED,
  INVITED,
  notSignedInSince,
  unready,
  WITHOUT_FACTOR,
} from '../../identity/account/account-conditions.js';
import { Accounts } from '../../identity/account/accounts.service.js';
import { LockedAccounts } from '../../identity/second-factor/attempts/locked-accounts.task.js';
import { MfaProperties } from '../../identity/second-factor/mfa.properties.js';
import { Clock } from '../../kernel/clock/clock.js';
import type { AccountState, UserFilter } from './user-filter.js';

const DAY = 86_400;

/** A page of the accounts of a filter, in the order of their login ids. */
export interface UserPage extends UserFilter {
  readonly after?: string | undefined;
  /** The page ends before this login id. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** Finds accounts by what administrators and the help desk look for. */
@Injectable()
export class AccountSearch {
  constructor(
    private readonly accounts: Accounts,
    private readonly locked: LockedAccounts,
    private readonly properties: MfaProperties,
    private readonly clock: Clock,
  ) {}

  page({ after, before, limit, ...filter }: UserPage): Promise<readonly Account[]> {
    return this.accounts.list({ ...this.conditionsOf(filter), after, before, limit });
  }

  /** The number of accounts of all pages. */
  count(filter: UserFilter): Promise<number> {
    return this.accounts.count(this.conditionsOf(filter));
  }

  private conditionsOf({ query, role, state, inactiveDays }: UserFilter): Parameters<Accounts['count']>[0] {
    const conditions = [
      ...(state === undefined ? [] : [this.conditionOf(state)]),
      ...(inactiveDays === undefined ? [] : [notSignedInSince(this.clock.seconds() - inactiveDays * DAY)]),
    ];
    return { query, role, conditions };
  }

  private conditionOf(state: AccountState): Condition {
    switch (state) {
      case 'active':
        return ACTIVE;
      case 'disabled':
        return DISABLED;
      case 'invited':
        return INVITED;
      case 'locked':
        return this.locked.condition();
      case 'no-factor':
        return WITHOUT_FACTOR;
      case 'unready':
        return unready(this.properties.demand);
    }
  }
}
