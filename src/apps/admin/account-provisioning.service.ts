import { Injectable } from '@nestjs/common';
import type { Account } from '../../identity/account/account.js';
import { Accounts } from '../../identity/account/accounts.service.js';
import { PasswordChanges } from '../../identity/account/password/passwords.service.js';
import { AccountCreation } from '../../identity/account/account-creation.service.js';
import type { AccountDraft } from '../../identity/account/account-drafts.service.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import type { Delivery } from '../../signin/recovery/invitation-delivery.service.js';
import { type Invitation, type InvitationDraft, Invitations } from '../../signin/recovery/invitations.service.js';
import type { Act } from './act.js';
import { type ActRule, AdminActs } from './admin-acts.service.js';

const CREATE: ActRule = { name: 'create' };
const INVITE: ActRule = { name: 'invite' };

/** Creates and invites accounts for an administrator, for commands, HTTP and pages; `BulkProvisioning` takes files. */
@Injectable()
export class AccountProvisioning {
  constructor(
    private readonly accounts: Accounts,
    private readonly creation: AccountCreation,
    private readonly invitations: Invitations,
    private readonly passwords: PasswordChanges,
    private readonly acts: AdminActs,
  ) {}

  /**
   * Creates an account; a draft without a password gets a random one, which is returned and cannot be read again.
   * @throws ServiceError `VALIDATION_FAILED`; `CONFLICT` for a login id that is taken; `UNAVAILABLE`
   */
  create(draft: AccountDraft, act: Act): Promise<{ readonly account: Account; readonly generated?: string }> {
    return this.acts.perform(CREATE, undefined, act, async () => {
      if (draft.password !== undefined) return { account: await this.creation.create(draft, act.actor) };
      const { account, password } = await this.creation.createWithRandomPassword(draft, act.actor);
      return { account, generated: password };
    });
  }

  /**
   * Creates an account with a generated temporary password, which its owner must replace at the first sign-in.
   * @throws as `create`; ServiceError `ACCESS_DENIED`
   */
  createTemporary(
    draft: Omit<AccountDraft, 'password' | 'passwordHash'>,
    act: Act,
  ): Promise<{ readonly account: Account; readonly password: string; readonly expiresAt: number }> {
    return this.acts.perform(CREATE, undefined, act, async () => {
      const ready = await this.passwords.generateTemporary(draft);
      let expiresAt = 0;
      const account = await this.creation.create(draft, act.actor, async (tx, { id }) => {
        expiresAt = await this.passwords.reset(tx, id, ready, act.actor);
      });
      return { account, password: ready.generated, expiresAt };
    });
  }

  /** True if a mail relay is configured. */
  get canMailInvitations(): boolean {
    return this.invitations.canMail;
  }

  /**
   * Creates an account whose first password its user chooses by a link, or invites the user of an account that has not
   * accepted yet again, then with the same roles or without any. With `isNew`, only a new account is invited.
   * @throws ServiceError `VALIDATION_FAILED`; `CONFLICT` for a login id that is taken, or an account that had a password
   */
  async invite(
    person: InvitationDraft,
    delivery: Delivery,
    act: Act,
    { isNew = false }: { readonly isNew?: boolean } = {},
  ): Promise<Invitation> {
    const known = await this.accounts.findByLoginId(person.loginId);
    return this.acts.perform(INVITE, known?.id, act, async () => {
      if (!known) return this.invitations.inviteNew(person, act.actor, delivery);
      if (isNew) throw new ServiceError('CONFLICT', { reason: 'login id taken' });
      if (person.roles && !haveSameMembers(person.roles, known.roles)) {
        throw new ServiceError('CONFLICT', { reason: 'invited with other roles' });
      }
      return this.invitations.invite(known, person.email, act.actor, delivery);
    });
  }

  /**
   * Mails another invitation to the user of an account that never had a password; the earlier link ends.
   * @throws ServiceError `VALIDATION_FAILED` for an account without an address; `NOT_FOUND`; `CONFLICT` for an account that
   * has or had a password; `ACCESS_DENIED`
   */
  inviteAgain(subject: string, act: Act): Promise<Invitation> {
    return this.acts.perform(INVITE, subject, act, async () => {
      const account = await this.accounts.find(subject);
      if (!account) throw new ServiceError('NOT_FOUND', { reason: 'account' });
      return this.invitations.invite(account, undefined, act.actor, 'mail');
    });
  }

  /**
   * Creates an account; a draft without a password cannot sign in before a temporary password is set.
   * @throws as `create`; ServiceError `ACCESS_DENIED`
   */
  createFromDraft(draft: AccountDraft, act: Act): Promise<Account> {
    return this.acts.perform(CREATE, undefined, act, () => this.creation.create(draft, act.actor));
  }
}

function haveSameMembers(ones: readonly string[], others: readonly string[]): boolean {
  return ones.every((one) => others.includes(one)) && others.every((other) => ones.includes(other));
}
