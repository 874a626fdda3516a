import { Injectable } from '@nestjs/common';
import { ServiceError } from '../errors/service-error.js';
import { SecurityEvents } from '../events/security-events.service.js';
import { type Tx, UnitOfWork } from '../persistence/unit-of-work.js';
import { Random } from '../random/random.js';
import type { Account } from './account.js';
import { type AccountDraft, AccountDrafts } from './account-drafts.service.js';
import { AccountStore, type NewAccount, withoutHash } from './account.store.js';
import { randomPassword } from './password/password-rules.js';
import { ROLE_ADMIN } from './role-names.js';

const FIRST_LOGIN_ID = 'admin';

/** Makes accounts; `actor` is the subject of an administrator, or `cli`. */
@Injectable()
export class AccountCreation {
  constructor(
    private readonly store: AccountStore,
    private readonly work: UnitOfWork,
    private readonly drafts: AccountDrafts,
    private readonly events: SecurityEvents,
    private readonly random: Random,
  ) {}

  /** @throws ServiceError `VALIDATION_FAILED`; `CONFLICT` where the login id is taken; `UNAVAILABLE` */
  async create(draft: AccountDraft, actor: string): Promise<Account> {
    const errors = await this.drafts.faults(draft);
    if (errors.length > 0) throw new ServiceError('VALIDATION_FAILED', { errors });
    const account = await this.drafts.account(draft);
    const stored = await this.work.run((tx) => this.insert(tx, account, actor));
    if (!stored) throw new ServiceError('CONFLICT', { reason: 'login id taken' });
    return stored;
  }

  /** The same with a random password, which nobody can read again. */
  async createWithRandomPassword(
    draft: Omit<AccountDraft, 'password' | 'passwordHash'>,
    actor: string,
  ): Promise<{ readonly account: Account; readonly password: string }> {
    const password = randomPassword(this.random);
    return { account: await this.create({ ...draft, password }, actor), password };
  }

  /** True where there is no account at all: asked before anybody can make one. */
  isFirstStart(): Promise<boolean> {
    return this.work.single((tx) => this.store.isEmpty(tx));
  }

  /**
   * Makes the account `admin` of a first start, and says so in a line with its password, to be printed once. Undefined
   * where it is there already: of processes that start at once, one makes it and gets the line.
   */
  async firstAdmin(): Promise<string | undefined> {
    const password = randomPassword(this.random);
    const admin = await this.drafts.account({ loginId: FIRST_LOGIN_ID, password, roles: [ROLE_ADMIN] });
    const isMade = await this.work.run(async (tx) => (await this.insert(tx, admin, 'first start')) !== undefined);
    return isMade ? `First user: ${FIRST_LOGIN_ID} with password ${password} (shown this once)` : undefined;
  }

  private async insert(tx: Tx, account: NewAccount, actor: string): Promise<Account | undefined> {
    if (!(await this.store.insert(tx, [account]))) return undefined;
    await this.events.record(tx, { kind: 'USER_CREATED', subject: account.id, actor });
    const stored = await this.store.find(tx, account.id);
    return stored && withoutHash(stored);
  }
}
