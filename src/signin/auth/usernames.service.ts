import { Injectable } from '@nestjs/common';
import * as v from 'valibot';
import { Accounts } from '../../identity/account/accounts.service.js';
import type { Cache } from '../../platform/cache/cache.js';
import { CacheManager } from '../../platform/cache/cache-manager.service.js';

/** Bounds the entries of deleted accounts; `app.cache.caffeine.spec` usually sets less. */
const MAX_AGE_MILLIS = 3_600_000;

/**
 * The login ids of active accounts, through the cache `users`. A login id never changes, and an account that is disabled or
 * deleted loses its sessions in the same transaction: a caller that has read a live session of the account from the database
 * gets no outdated response from here.
 */
@Injectable()
export class Usernames {
  private readonly cache: Cache<string>;

  constructor(
    private readonly accounts: Accounts,
    caches: CacheManager,
  ) {
    this.cache = caches.open({ name: 'users', schema: v.string(), maxAgeMillis: MAX_AGE_MILLIS });
  }

  /** Undefined unless the account exists and is active. */
  async find(subject: string): Promise<string | undefined> {
    const known = await this.cache.get(subject);
    if (known !== undefined) return known;
    const account = await this.accounts.find(subject);
    if (account?.status !== 'active') return undefined;
    this.cache.put(subject, account.loginId);
    return account.loginId;
  }
}
