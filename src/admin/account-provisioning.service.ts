import { Injectable } from '@nestjs/common';
import type { Account } from '../account/account.js';
import { Accounts } from '../account/accounts.service.js';
import { PasswordChanges, Passwords } from '../account/password/passwords.service.js';
import { AccountCreation } from '../account/account-creation.service.js';
import type { AccountDraft } from '../account/account-drafts.service.js';
import { AccountImport } from '../account/import/account-import.service.js';
import type { ImportReport, ImportRow } from '../account/import/import-row.js';
import { ServiceError } from '../errors/service-error.js';
import { type Delivery, type Invitation, type InvitationDraft, Invitations } from '../recovery/invitations.service.js';
import { withStated } from '../principal/command-context.js';
import { ImportedTotps } from '../second-factor/totp/totp-import.service.js';
import { type Act, type Actor, demandAdministrator, validStated } from './act.js';

/** Creates accounts for an administrator, for commands and HTTP: one account, or those of a file. */
@Injectable()
export class AccountProvisioning {
  constructor(
    private readonly accounts: Accounts,
    private readonly creation: AccountCreation,
    private readonly invitations: Invitations,
    private readonly accountImport: AccountImport,
    private readonly totps: ImportedTotps,
    private readonly passwords: Passwords,
    private readonly passwordChanges: PasswordChanges,
  ) {}

  /**
   * Creates an account; a draft without a password gets a random one, which is returned and cannot be read again.
   * @throws ServiceError `VALIDATION_FAILED`; `CONFLICT` for a login id that is taken; `UNAVAILABLE`
   */
  create(draft: AccountDraft, act: Act): Promise<{ readonly account: Account; readonly generated?: string }> {
    demandAdministrator(act);
    return withStated(validStated(act, false), async () => {
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
    demandAdministrator(act);
    return withStated(validStated(act, false), async () => {
      const password = this.passwords.generate();
      const ready = await this.passwords.ready(password, draft, 'pw');
      let expiresAt = 0;
      const account = await this.creation.create(draft, act.actor, async (tx, { id }) => {
        expiresAt = await this.passwordChanges.reset(tx, id, ready, act.actor);
      });
      return { account, password, expiresAt };
    });
  }

  /** False if no mail relay is configured. */
  get canMailInvitations(): boolean {
    return this.invitations.canMail;
  }

  /**
   * Creates an account whose first password its user chooses by a link, or invites the user of an account that has not
   * accepted yet again, then without roles.
   * @throws ServiceError `VALIDATION_FAILED`; `CONFLICT` for a login id that is taken, or an account that had a password
   */
  invite(person: InvitationDraft, delivery: Delivery, act: Act): Promise<Invitation> {
    demandAdministrator(act);
    return withStated(validStated(act, false), async () => {
      const known = await this.accounts.findByLoginId(person.loginId);
      if (!known) return this.invitations.inviteNew(person, act.actor, delivery);
      if (person.roles) throw new ServiceError('CONFLICT', { reason: 'login id taken' });
      return this.invitations.invite(known, person.email, act.actor, delivery);
    });
  }

  /**
   * Creates an account; a draft without a password cannot sign in before a temporary password is set.
   * @throws as `create`; ServiceError `ACCESS_DENIED`
   */
  createAsGiven(draft: AccountDraft, act: Act): Promise<Account> {
    demandAdministrator(act);
    return withStated(validStated(act, false), () => this.creation.create(draft, act.actor));
  }

  /** Reports what an import of these rows would do now, and stores nothing. @throws ServiceError `ACCESS_DENIED` */
  async preview(rows: AsyncIterable<ImportRow>, act: Actor): Promise<ImportReport> {
    demandAdministrator(act);
    return this.accountImport.preview(rows, { totps: this.totps });
  }

  /**
   * Creates the accounts of a file with their authenticators. `rows` begins at the first row each time it is called; it is
   * read twice unless `isPartial`.
   */
  import(
    rows: () => AsyncIterable<ImportRow>,
    { isPartial, ...act }: Act & { readonly isPartial: boolean },
  ): Promise<ImportReport> {
    const { totps } = this;
    demandAdministrator(act);
    return withStated(validStated(act, false), () =>
      this.accountImport.run(rows, { actor: act.actor, isPartial, totps }),
    );
  }
}
