import { Injectable } from '@nestjs/common';
import type { Account } from '../../identity/account/account.js';
import { AccountChanges } from '../../identity/account/account-changes.service.js';
import { AccountCreation } from '../../identity/account/account-creation.service.js';
import type { AccountDraft } from '../../identity/account/account-drafts.service.js';
import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import { UnitOfWork } from '../../platform/persistence/unit-of-work.js';
import { MfaPolicy } from '../../identity/second-factor/mfa-policy.service.js';
import type { AccountLink } from './account-links.service.js';
import { type Delivery, InvitationDelivery } from './invitation-delivery.service.js';

/** A new user, whose first password is chosen by the link of an invitation. */
export type InvitationDraft = Omit<AccountDraft, 'password' | 'passwordHash' | 'isInvited' | 'enrolmentForced'>;

export interface Invitation {
  readonly account: Account;
  /** Set unless the link is mailed; it is shown once and lets its holder in. */
  readonly link?: AccountLink;
}

/** Invites users: an account without a password, and a link to choose the first one. */
@Injectable()
export class Invitations {
  constructor(
    private readonly creation: AccountCreation,
    private readonly changes: AccountChanges,
    private readonly delivery: InvitationDelivery,
    private readonly work: UnitOfWork,
    private readonly policy: MfaPolicy,
  ) {}

  /** False if no relay is configured: links must then be handed over in another way. */
  get canMail(): boolean {
    return this.delivery.canMail;
  }

  /**
   * Creates an account and invites its user.
   * @throws ServiceError `VALIDATION_FAILED`, also if the link is to be mailed without an address; `CONFLICT` if the login
   * id is taken
   */
  async inviteNew(draft: InvitationDraft, actor: string, delivery: Delivery): Promise<Invitation> {
    this.delivery.demandAddress(delivery, draft.email);
    const invited = { ...draft, isInvited: true, enrolmentForced: this.forcesEnrolment };
    const account = await this.creation.create(invited, actor, (tx, { id: subject }) =>
      this.delivery.begin(tx, subject, delivery),
    );
    return this.delivered(account, delivery);
  }

  /**
   * Invites the user of an account that never had a password, also again, which ends the previous link at once. `email`
   * replaces the address, which may be the reason.
   * @throws ServiceError `VALIDATION_FAILED`; `NOT_FOUND`; `CONFLICT` if the account has or had a password
   */
  async invite(account: Account, email: string | undefined, actor: string, delivery: Delivery): Promise<Invitation> {
    const { id: subject } = account;
    const address = email ?? account.email;
    this.delivery.demandAddress(delivery, address);
    await this.work.run(async (tx) => {
      await this.changes.invite(tx, subject, { actor, enrolmentForced: this.forcesEnrolment });
      if (address !== undefined && address !== account.email) {
        await this.changes.change(tx, subject, { email: address }, actor);
      }
      await this.delivery.begin(tx, subject, delivery);
    });
    return this.delivered(account, delivery);
  }

  /** Otherwise whoever learns the first password could enrol an authenticator before its user does. */
  private get forcesEnrolment(): boolean {
    return !this.policy.isOptional;
  }

  private async delivered(account: Account, delivery: Delivery): Promise<Invitation> {
    return { account, ...withoutUndefined({ link: await this.delivery.handOver(account.id, delivery) }) };
  }
}
