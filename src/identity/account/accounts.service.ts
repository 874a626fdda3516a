import { Injectable } from '@nestjs/common';
import type { Language } from './language.js';
import { type Tx, UnitOfWork } from '../../platform/persistence/unit-of-work.js';
import { type Account, withoutHash } from './account.js';
import type { AccountStatistics, FactorDemand } from './account-statistics.js';
import { type AccountFilter, AccountStore } from './account.store.js';
import { LoginIds } from './login-id.js';

/** Conditions on a list of accounts, as an operator writes them. */
export type AccountQuery = Omit<AccountFilter, 'query'> & { readonly query?: string | undefined };

/** Finds accounts, and locks their rows. */
@Injectable()
export class Accounts {
  constructor(
    private readonly store: AccountStore,
    private readonly work: UnitOfWork,
    private readonly loginIds: LoginIds,
  ) {}

  async find(subject: string, tx?: Tx): Promise<Account | undefined> {
    const stored = await (tx ? this.store.find(tx, subject) : this.work.single((own) => this.store.find(own, subject)));
    return stored && withoutHash(stored);
  }

  async findByLoginId(loginId: string): Promise<Account | undefined> {
    const form = this.normalise(loginId);
    const stored = await this.work.single((tx) => this.store.findByLoginId(tx, form));
    return stored && withoutHash(stored);
  }

  /** Accounts in the order of their login ids; `query` is a part of the login id or of the mail address, in any spelling. */
  async list({ query = '', after, ...filter }: AccountQuery): Promise<readonly Account[]> {
    const text = query.trim();
    const part = text === '' ? undefined : { loginId: this.loginIds.formOf(text), email: text.toLowerCase() };
    const last = after === undefined ? undefined : (this.loginIds.formOf(after) ?? after);
    const page = { ...filter, query: part, after: last };
    return (await this.work.single((tx) => this.store.page(tx, page))).map(withoutHash);
  }

  /** Counts all accounts; `unready` are those that lack what is demanded. */
  statistics(demand: FactorDemand): Promise<AccountStatistics> {
    return this.work.single((tx) => this.store.statistics(tx, demand));
  }

  /** @throws ServiceError `VALIDATION_FAILED` if the text is not a login id */
  normalise(loginId: string): string {
    return this.loginIds.normalise(loginId);
  }

  /** Chooses the language of pages and mails; with `unlessChosen`, only for a user who has not chosen one. */
  async setLanguage(subject: string, language: Language, { unlessChosen = false } = {}): Promise<void> {
    await this.work.single((tx) => this.store.setLanguage(tx, subject, language, unlessChosen));
  }

  /** Replaces the hash of an unchanged password; nothing happens if the password was changed meanwhile. */
  async rehash(subject: string, from: string, to: string): Promise<void> {
    await this.work.single((tx) => this.store.rehash(tx, subject, from, to));
  }

  /**
   * Locks the account's row for the rest of the transaction; false if the account is no longer active, its security stamp
   * was raised since `account` was read, or it had a second factor then and has none now, or the other way round.
   */
  holds(tx: Tx, account: Account): Promise<boolean> {
    return this.store.holds(tx, account);
  }

  /** Locks the row of an active account for the rest of the transaction and reads it; undefined if there is none. */
  async hold(tx: Tx, subject: string): Promise<Account | undefined> {
    return (await this.store.holdActive(tx, subject)) ? this.find(subject, tx) : undefined;
  }
}
