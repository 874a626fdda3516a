import { Injectable } from '@nestjs/common';
import { ServiceError } from '../../kernel/errors/service-error.js';
import { type Tx, UnitOfWork } from '../../platform/persistence/unit-of-work.js';
import { Random } from '../../kernel/random/random.js';
import { type Account, ROLE_ADMIN } from './account.js';
import { AccountChanges } from './account-changes.service.js';
import { AccountChangesStore } from './account-changes.store.js';
import { type AccountDraft, AccountDrafts } from './account-drafts.service.js';
import type { PasswordOrigin } from './password/breached/breached-passwords.service.js';
import { randomPassword } from './password/password-rules.js';

const FIRST_LOGIN_ID = 'admin';

/** Creates accounts with a login id; `actor` is the subject of an administrator, or `cli`. */
@Injectable()
export class AccountCreation {
  constructor(
    private readonly store: AccountChangesStore,
    private readonly changes: AccountChanges,
    private readonly work: UnitOfWork,
    private readonly drafts: AccountDrafts,
    private readonly random: Random,
  ) {}

  /**
   * Creates an account; `alongside` runs in the same transaction.
   * @throws ServiceError `VALIDATION_FAILED`; `CONFLICT` if the login id is taken; `UNAVAILABLE`
   */
  async create(
    draft: AccountDraft,
    actor: string,
    alongside: (tx: Tx, account: Account) => Promise<void> = () => Promise.resolve(),
    origin?: PasswordOrigin,
  ): Promise<Account> {
    const errors = await this.drafts.problems(draft, origin);
    if (errors.length > 0) throw new ServiceError('VALIDATION_FAILED', { errors });
    const account = await this.drafts.account(draft);
    const stored = await this.work.run(async (tx) => {
      const inserted = await this.changes.insert(tx, account, { actor });
      if (inserted) await alongside(tx, inserted);
      return inserted;
    });
    if (!stored) throw new ServiceError('CONFLICT', { reason: 'login id taken' });
    return stored;
  }

  /** Creates an account with a random password, which cannot be read again. */
  async createWithRandomPassword(
    draft: Omit<AccountDraft, 'password' | 'passwordHash'>,
    actor: string,
  ): Promise<{ readonly account: Account; readonly password: string }> {
    const password = randomPassword(this.random);
    return { account: await this.create({ ...draft, password }, actor, undefined, 'generated'), password };
  }

  /** True while there is no account. */
  isFirstStart(): Promise<boolean> {
    return this.work.single((tx) => this.store.isEmpty(tx));
  }

  /**
   * Creates the account `admin` of a first start and returns the line with its password, to be printed once. Undefined if
   * the account exists: of processes that start at once, one creates it and gets the line.
   */
  async firstAdmin(): Promise<string | undefined> {
    const password = randomPassword(this.random);
    const admin = await this.drafts.account({ loginId: FIRST_LOGIN_ID, password, roles: [ROLE_ADMIN] });
    const created = await this.work.run((tx) => this.changes.insert(tx, admin, { actor: 'first start' }));
    return created && `First user: ${FIRST_LOGIN_ID} with password ${password} (shown this once)`;
  }
}
