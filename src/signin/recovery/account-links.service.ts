import { Injectable } from '@nestjs/common';
import type { Account } from '../../identity/account/account.js';
import { Accounts } from '../../identity/account/accounts.service.js';
import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import type { Reason } from '../../kernel/errors/reason.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import { type Tx, UnitOfWork } from '../../platform/persistence/unit-of-work.js';
import type { LastLock } from '../../identity/second-factor/attempts/attempt.js';
import { AttemptBudget } from '../../identity/second-factor/attempts/attempt-budget.service.js';
import { hashSecret } from '../../identity/session/session.js';
import { FORMER_ADDRESS, hashOfToken, type LinkKind, slotOf, stateOf } from './account-link.js';
import { AccountLinkStore, type StoredLink } from './account-link.store.js';
import { LinkTokens } from './link-tokens.service.js';

/** A link to be mailed. The URL contains the secret: it belongs into the mail and nowhere else. */
export interface AccountLink {
  readonly url: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

/** Links of one account, created at one moment. */
export interface CreatedLinks {
  /** The account at that moment: the links are mailed to the address that it has there, and to no later one. */
  readonly account: Account;
  /** The links that the account gets. */
  readonly links: Readonly<Partial<Record<LinkKind, AccountLink>>>;
}

/** A link that could be used now. */
export interface ValidLink {
  readonly account: Account;
  /** The address that the link confirms. */
  readonly email?: string | undefined;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

/** A link that was used up. */
export interface UsedLink {
  readonly account: Account;
  /** Version of the address that the mail with the link went to; `FORMER_ADDRESS` for an earlier one. */
  readonly emailVersion: number;
  /** The address that the link confirms. */
  readonly email?: string | undefined;
}

type FoundLink = ({ readonly link: StoredLink } & ValidLink) | { readonly reason: Reason };

/** Mailed links: each permits one act of one account, once (decision 0065). */
@Injectable()
export class AccountLinks {
  constructor(
    private readonly store: AccountLinkStore,
    private readonly accounts: Accounts,
    private readonly locks: AttemptBudget,
    private readonly tokens: LinkTokens,
    private readonly work: UnitOfWork,
  ) {}

  /**
   * Creates the links of one mail, each of which ends the previous one of its kind; notices keep theirs. Without those that
   * the account does not get now, because it is not locked (`unlock`), was not invited (`invitation`) or never had a
   * password (`password-reset`). Undefined if the account is not active. `toFormerAddress` is true for a mail to an address
   * that the account no longer has.
   */
  create(
    subject: string,
    kinds: readonly LinkKind[],
    { toFormerAddress = false } = {},
  ): Promise<CreatedLinks | undefined> {
    return this.work.run(async (tx) => {
      // Locks the row, so that of two links that are created at once, one ends the other, and all have the same account.
      const account = await this.accounts.hold(tx, subject);
      if (!account) return undefined;
      const links: Partial<Record<LinkKind, AccountLink>> = {};
      for (const kind of kinds) {
        const link = await this.createOne(tx, account, kind, toFormerAddress ? FORMER_ADDRESS : account.emailVersion);
        if (link) links[kind] = link;
      }
      return { account, links };
    });
  }

  /** The account of a link that could be used now. Changes nothing: mail scanners follow links. */
  async peek(kind: LinkKind, token: string): Promise<ValidLink | undefined> {
    const found = await this.read(kind, token);
    return 'reason' in found ? undefined : found;
  }

  /** As `peek`. @throws ServiceError `LINK_INVALID` */
  async require(kind: LinkKind, token: string): Promise<ValidLink> {
    const found = await this.read(kind, token);
    if ('reason' in found) throw invalid(found.reason);
    return found;
  }

  /**
   * Reserves the next mail with a link to reset the password, and ends the previous link; false if one was reserved within
   * `seconds`.
   */
  reserve(tx: Tx, subject: string, seconds: number): Promise<boolean> {
    const slot = slotOf('password-reset', subject, '');
    return this.store.reserve(tx, { slot, subject, kind: 'password-reset', intervalSeconds: seconds });
  }

  /**
   * Reserves the next mail with a link that confirms an address of the account, and ends the previous link; false if one was
   * reserved within `seconds`. The link is void once the account is no longer as `account` states it.
   */
  reserveConfirmation(tx: Tx, account: Account, email: string, seconds: number): Promise<boolean> {
    const slot = slotOf('email', account.id, '');
    const bound = { email, ...withoutUndefined({ state: stateOf('email', { account, email }) }) };
    return this.store.reserve(tx, { slot, subject: account.id, kind: 'email', intervalSeconds: seconds, ...bound });
  }

  /** Creates the link of a reserved mail; undefined if the account has changed since, or another mail was reserved. */
  createConfirmation(
    subject: string,
    email: string,
  ): Promise<(AccountLink & { readonly account: Account }) | undefined> {
    return this.work.run(async (tx) => {
      const account = await this.accounts.hold(tx, subject);
      const state = account && stateOf('email', { account, email });
      if (!account || state === undefined) return undefined;
      const { url, ...token } = this.tokens.issue('email');
      const expiresAt = await this.store.issue(tx, { slot: slotOf('email', subject, ''), state, ...token });
      return expiresAt === undefined ? undefined : { account, url, expiresAt };
    });
  }

  /**
   * Uses a link up, locks its account, and performs the act in the same transaction. Of concurrent calls, one succeeds.
   * @throws ServiceError `LINK_INVALID` for a link that is unknown, used, replaced, expired or of another state of the account
   */
  use<T>(kind: LinkKind, token: string, act: (tx: Tx, used: UsedLink) => Promise<T>): Promise<T> {
    return this.work.run(async (tx) => act(tx, await this.useUp(tx, kind, token)));
  }

  private async useUp(tx: Tx, kind: LinkKind, token: string): Promise<UsedLink> {
    const found = await this.find(tx, kind, token, (subject) => this.accounts.hold(tx, subject));
    if ('reason' in found) throw invalid(found.reason);
    const { link, account } = found;
    if (!(await this.store.use(tx, link.slot, hashSecret(token)))) throw invalid('link unknown');
    await this.store.endOthers(tx, account.id, kind, link.slot);
    return { account, emailVersion: link.emailVersion, email: link.email };
  }

  /** Ends the invitation of an account, whose next one may be mailed much later. */
  endInvitation(tx: Tx, subject: string): Promise<void> {
    return this.store.end(tx, slotOf('invitation', subject, ''));
  }

  /** Ends all links of an account that is disabled or deleted. */
  endAll(tx: Tx, subject: string): Promise<void> {
    return this.store.endAll(tx, subject);
  }

  private async createOne(
    tx: Tx,
    account: Account,
    kind: LinkKind,
    emailVersion: number,
  ): Promise<AccountLink | undefined> {
    const { id: subject } = account;
    const lock = await this.lockFor(tx, kind, subject);
    const state = kind === 'unlock' && lock?.isInForce !== true ? undefined : stateOf(kind, { account, lock });
    if (state === undefined) return undefined;
    const { url, tokenHash, lifetimeSeconds } = this.tokens.issue(kind);
    const slot = slotOf(kind, subject, tokenHash);
    const link = { slot, subject, kind, tokenHash, state, emailVersion, lifetimeSeconds };
    return { url, expiresAt: await this.store.put(tx, link) };
  }

  private read(kind: LinkKind, token: string): Promise<FoundLink> {
    return this.work.single((tx) => this.find(tx, kind, token, (subject) => this.accounts.find(subject, tx)));
  }

  private async find(
    tx: Tx,
    kind: LinkKind,
    token: string,
    accountOf: (subject: string) => Promise<Account | undefined>,
  ): Promise<FoundLink> {
    const hash = hashOfToken(token);
    const link = hash === undefined ? undefined : await this.store.find(tx, kind, hash);
    if (!link) return { reason: 'link unknown' };
    const { subject, state, email, expiresAt, isExpired } = link;
    if (isExpired) return { reason: 'link expired' };
    const account = await accountOf(subject);
    if (account?.status !== 'active') return { reason: 'account not active' };
    const lock = await this.lockFor(tx, kind, subject);
    const isUnchanged = stateOf(kind, { account, lock, email }) === state;
    return isUnchanged ? { link, account, email, expiresAt } : { reason: 'link outdated' };
  }

  private lockFor(tx: Tx, kind: LinkKind, subject: string): Promise<LastLock | undefined> {
    return kind === 'unlock' ? this.locks.lastLock(tx, subject) : Promise.resolve(undefined);
  }
}

function invalid(reason: Reason): ServiceError {
  return new ServiceError('LINK_INVALID', { reason });
}
