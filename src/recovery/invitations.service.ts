import { Injectable } from '@nestjs/common';
import type { Account } from '../account/account.js';
import { AccountChanges } from '../account/account-changes.service.js';
import { AccountCreation } from '../account/account-creation.service.js';
import type { AccountDraft } from '../account/account-drafts.service.js';
import { Clock } from '../clock/clock.js';
import { withoutUndefined } from '../collections/without-undefined.js';
import { ServiceError } from '../errors/service-error.js';
import { SecurityEvents } from '../events/security-events.service.js';
import { MailQueue } from '../mail/mail-queue.service.js';
import { type Tx, UnitOfWork } from '../persistence/unit-of-work.js';
import { MfaProperties } from '../second-factor/mfa.properties.js';
import { type AccountLink, AccountLinks } from './account-links.service.js';
import { TEMPLATES } from './recovery-mails.service.js';

/** A new user, whose first password is chosen by the link of an invitation. */
export type InvitationDraft = Omit<AccountDraft, 'password' | 'passwordHash' | 'isInvited' | 'enrolmentForced'>;

/** How the user gets the link. */
export type Delivery = 'mail' | 'link';

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
    private readonly links: AccountLinks,
    private readonly mails: MailQueue,
    private readonly events: SecurityEvents,
    private readonly work: UnitOfWork,
    private readonly mfa: MfaProperties,
    private readonly clock: Clock,
  ) {}

  /** False if no relay is configured: links must then be handed over in another way. */
  get canMail(): boolean {
    return this.mails.isEnabled;
  }

  /**
   * Creates an account and invites its user.
   * @throws ServiceError `VALIDATION_FAILED`, also if the link is to be mailed without an address; `CONFLICT` if the login
   * id is taken
   */
  async inviteNew(draft: InvitationDraft, actor: string, delivery: Delivery): Promise<Invitation> {
    if (delivery === 'mail' && draft.email === undefined) throw withoutAddress();
    const invited = { ...draft, isInvited: true, enrolmentForced: this.forcesEnrolment };
    const account = await this.creation.create(invited, actor, async (tx, { id: subject }) => {
      await this.events.record(tx, { kind: 'USER_INVITED', subject, actor });
      await this.addMail(tx, subject, delivery);
    });
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
    if (delivery === 'mail' && address === undefined) throw withoutAddress();
    await this.work.run(async (tx) => {
      await this.changes.invite(tx, subject, { actor, enrolmentForced: this.forcesEnrolment });
      await this.links.endInvitation(tx, subject);
      if (address !== undefined && address !== account.email) {
        await this.changes.change(tx, subject, { email: address }, actor);
      }
      await this.addMail(tx, subject, delivery);
    });
    return this.delivered(account, delivery);
  }

  /** Otherwise whoever learns the first password could enrol an authenticator before its user does. */
  private get forcesEnrolment(): boolean {
    return !this.mfa.isOptional(this.clock.seconds());
  }

  private async addMail(tx: Tx, subject: string, delivery: Delivery): Promise<void> {
    if (delivery === 'mail') await this.mails.add(tx, { template: TEMPLATES.invitation, subject });
  }

  private async delivered(account: Account, delivery: Delivery): Promise<Invitation> {
    const created = delivery === 'mail' ? undefined : await this.links.create(account.id, ['invitation']);
    return { account, ...withoutUndefined({ link: created?.links.invitation }) };
  }
}

function withoutAddress(): ServiceError {
  return new ServiceError('VALIDATION_FAILED', { errors: [{ field: 'email', code: 'required' }] });
}
