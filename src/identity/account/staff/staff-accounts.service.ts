import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { Random, timeOrderedId } from '../../../kernel/random/random.js';
import { type FieldError, ServiceError } from '../../../kernel/errors/service-error.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import { type Account, areRoles, isEmail, rolesText, withoutHash } from '../account.js';
import { type AccountChange, AccountChanges } from '../account-changes.service.js';
import { groupsText } from '../profile.js';
import { AccountStore } from '../account.store.js';
import { LoginIds } from '../login-id.js';
import { identityId, type IdentityNames, isPersonName, shownLoginIds } from './staff-identity.js';
import { StaffIdentityStore } from './staff-identity.store.js';

/** A user as an identity provider describes them. */
export interface StaffPerson extends IdentityNames {
  /** Name of the identity provider in our configuration. */
  readonly idp: string;
  readonly roles: readonly string[];
  /** If undefined, the identity provider is not asked for it, and the stored address stays. */
  readonly email?: string;
  /** True if the identity provider vouches for the address. */
  readonly emailVerified?: boolean;
  /** If undefined, the stored name stays. */
  readonly displayName?: string;
  /** If undefined, the identity provider is not asked for them, and the stored groups stay. */
  readonly groups?: readonly string[];
}

/** An account after a staff login. */
export interface StaffEntry {
  readonly account: Account;
  /** If true, the roles have changed, and the caller ends the other sessions in the same transaction. */
  readonly hasOtherRoles: boolean;
}

/** Creates the accounts of staff. */
@Injectable()
export class StaffCreation {
  constructor(
    private readonly identities: StaffIdentityStore,
    private readonly changes: AccountChanges,
    private readonly loginIds: LoginIds,
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  /**
   * Creates an account before the first login, for identity providers that may not create accounts themselves. Roles
   * and mail address follow the identity provider from the first login on.
   * @throws ServiceError `VALIDATION_FAILED`; `CONFLICT` if the person has an account
   */
  async admit(tx: Tx, person: StaffPerson, actor: string): Promise<Account> {
    const errors = problemsOf(person);
    if (errors.length > 0) throw new ServiceError('VALIDATION_FAILED', { errors });
    const account = await this.create(tx, person, { actor, logins: 0 });
    if (!account) throw new ServiceError('CONFLICT', { reason: 'person known' });
    return account;
  }

  /** Undefined if the person has an account. */
  async create(
    tx: Tx,
    person: StaffPerson,
    { actor, logins }: { readonly actor: string; readonly logins: 0 | 1 },
  ): Promise<Account | undefined> {
    const id = timeOrderedId(this.clock.millis(), this.random.bytes(10));
    const createdAt = this.clock.seconds();
    const first = { subject: id, logins, now: createdAt };
    if (!(await this.identities.insert(tx, identityId(person), person, first))) return undefined;
    const { idp, roles, email, emailVerified, displayName, groups } = person;
    const profile = { email: storable(email), emailVerified, displayName, groups };
    const row = { id, kind: 'staff', roles, ...profile, mfaRequired: false, createdAt } as const;
    for (const loginId of shownLoginIds(idp, person, (text) => this.loginIds.formOf(text))) {
      const account = await this.changes.insert(tx, { ...row, loginId }, { actor, idp });
      if (account) return account;
    }
    throw new Error('no login id is left for an account of staff');
  }
}

/**
 * Staff accounts at their login. They are found by identity provider and name only, never by a mail address or a login
 * id (security-requirements.md, X15).
 */
@Injectable()
export class StaffAccounts {
  constructor(
    private readonly identities: StaffIdentityStore,
    private readonly accounts: AccountStore,
    private readonly creation: StaffCreation,
    private readonly changes: AccountChanges,
    private readonly clock: Clock,
  ) {}

  /** Records a sign-in that needs no second step here. */
  recordSignIn(tx: Tx, subject: string): Promise<void> {
    return this.accounts.recordSignIn(tx, subject, this.clock.seconds());
  }

  /**
   * Returns the account of a person who signs in, with the roles and the profile that the identity provider states
   * now. An account that does not exist is created if `mayCreate`; otherwise the result is undefined. A disabled account
   * is not changed.
   */
  async enter(tx: Tx, person: StaffPerson, mayCreate: boolean): Promise<StaffEntry | undefined> {
    const id = identityId(person);
    const known = await this.identities.enter(tx, id);
    if (known !== undefined) return this.renewed(tx, known, person);
    if (!mayCreate) return undefined;
    const account = await this.creation.create(tx, person, { actor: 'idp', logins: 1 });
    if (account) return { account, hasOtherRoles: false };
    const other = await this.identities.enter(tx, id);
    return other === undefined ? undefined : this.renewed(tx, other, person);
  }

  private async renewed(tx: Tx, subject: string, person: StaffPerson): Promise<StaffEntry | undefined> {
    // A transaction that disables the account waits for this one, and then ends the session that begins here, too.
    const isActive = await this.accounts.holdActive(tx, subject);
    const stored = await this.accounts.find(tx, subject);
    if (!stored) return undefined;
    const account = withoutHash(stored);
    if (!isActive) return { account: { ...account, status: 'disabled' }, hasOtherRoles: false };
    const change = changeTo(person, account);
    if (Object.keys(change).length === 0) return { account, hasOtherRoles: false };
    const followed = await this.changes.follow(tx, subject, change, person.idp);
    return { account: followed, hasOtherRoles: change.roles !== undefined };
  }
}

/** What the identity provider states and the account has otherwise. */
function changeTo(
  { roles, email, emailVerified = false, displayName, groups }: StaffPerson,
  account: Account,
): AccountChange {
  const address = storable(email);
  const hasOtherAddress = address !== undefined && address !== account.email;
  const isToVerify = emailVerified && address !== undefined && (hasOtherAddress || !account.emailVerified);
  return {
    ...(rolesText(roles) !== rolesText(account.roles) && { roles }),
    ...(hasOtherAddress && { email: address }),
    ...(isToVerify && { emailVerified }),
    ...(displayName !== undefined && displayName !== account.displayName && { displayName }),
    ...(groups && groupsText(groups) !== groupsText(account.groups) && { groups }),
  };
}

/** The mail address that an identity provider states, if it has the form of one. */
function storable(email: string | undefined): string | undefined {
  return email !== undefined && isEmail(email) ? email : undefined;
}

function problemsOf({ person, roles, email }: StaffPerson): readonly FieldError[] {
  const problems: FieldError[] = [];
  if (!isPersonName(person)) problems.push({ field: 'person', code: 'malformed' });
  if (email !== undefined && !isEmail(email)) problems.push({ field: 'email', code: 'malformed' });
  if (!areRoles(roles)) problems.push({ field: 'roles', code: 'malformed' });
  return problems;
}
