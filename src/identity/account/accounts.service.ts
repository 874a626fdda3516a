import { Injectable } from '@nestjs/common';
import type { Language } from './language.js';
import { type Tx, UnitOfWork } from '../../platform/persistence/unit-of-work.js';
import { type Account, emailKeyOf, withoutHash } from './account.js';
import type { AccountStatistics, FactorDemand } from './account-statistics.js';
import { type AccountFilter, type AccountPage, AccountStore } from './account.store.js';
import { LoginIds } from './login-id.js';

/** Conditions on a list of accounts, as an operator writes them. */
export type AccountQuery = Omit<AccountPage, 'query' | 'limit'> & { readonly query?: string | undefined };

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

  /** The account that signs in with this login id or mail address. @throws ServiceError as `normalise` does */
  async findByUsername(username: string): Promise<Account | undefined> {
    const form = this.normalise(username);
    const stored = await this.work.single((tx) => this.store.findByUsername(tx, form));
    return stored && withoutHash(stored);
  }

  /** True if the text is the login id of the account, or its mail address. @throws ServiceError as `normalise` does */
  isUsernameOf(account: Pick<Account, 'loginId' | 'email'>, username: string): boolean {
    const form = this.normalise(username);
    return account.loginId === form || (account.email !== undefined && emailKeyOf(account.email) === emailKeyOf(form));
  }

  /** Accounts in the order of their login ids; `query` is a part of the login id or of the mail address, in any spelling. */
  async list({
    after,
    before,
    limit,
    ...query
  }: AccountQuery & { readonly limit: number }): Promise<readonly Account[]> {
    const cursor = (loginId: string | undefined): string | undefined =>
      loginId === undefined ? undefined : (this.loginIds.formOf(loginId) ?? loginId);
    const page = { ...this.filterOf(query), after: cursor(after), before: cursor(before), limit };
    return (await this.work.single((tx) => this.store.page(tx, page))).map(withoutHash);
  }

  /** Counts the accounts of all pages. */
  count(query: AccountQuery): Promise<number> {
    return this.work.single((tx) => this.store.count(tx, this.filterOf(query)));
  }

  /** Counts all accounts; `unready` are those that lack what is demanded. */
  statistics(demand: FactorDemand): Promise<AccountStatistics> {
    return this.work.single((tx) => this.store.statistics(tx, demand));
  }

  private filterOf({ query = '', role, status, conditions }: AccountQuery): AccountFilter {
    const text = query.trim();
    const part = text === '' ? undefined : { loginId: this.loginIds.formOf(text), email: text.toLowerCase() };
    return { query: part, role, status, conditions };
  }

  /** The roles that accounts have, each once. */
  async roles(): Promise<readonly string[]> {
    const lists = await this.work.single((tx) => this.store.roleLists(tx));
    return [...new Set(lists.flat())];
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
   * Locks the account's row for the rest of the transaction and records the sign-in, at `now` in epoch seconds; false if the account is no longer active, its security stamp
   * was raised since `account` was read, or it had a second factor then and has none now, or the other way round.
   */
  signIn(tx: Tx, account: Account, now: number): Promise<boolean> {
    return this.store.signIn(tx, account, now);
  }

  /** Records the sign-in of an account whose row the transaction has changed already; `now` in epoch seconds. */
  recordSignIn(tx: Tx, subject: string, now: number): Promise<void> {
    return this.store.recordSignIn(tx, subject, now);
  }

  /** Locks the row of an active account for the rest of the transaction and reads it; undefined if there is none. */
  async hold(tx: Tx, subject: string): Promise<Account | undefined> {
    return (await this.store.holdActive(tx, subject)) ? this.find(subject, tx) : undefined;
  }
}
