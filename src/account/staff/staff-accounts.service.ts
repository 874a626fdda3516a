import { Injectable } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import { timeOrderedId } from '../../encoding/time-ordered-id.js';
import { type FieldError, ServiceError } from '../../errors/service-error.js';
import { SecurityEvents } from '../../events/security-events.service.js';
import { type Tx, UnitOfWork } from '../../persistence/unit-of-work.js';
import { Random } from '../../random/random.js';
import type { Account } from '../account.js';
import { AccountStore, withoutHash } from '../account.store.js';
import { isEmail } from '../email.js';
import { LoginIds } from '../login-ids.service.js';
import { areRoles, rolesText } from '../role-names.js';
import { identityId, type IdentityNames, isPersonName, shownLoginIds } from './staff-identity.js';
import { StaffIdentityStore } from './staff-identity.store.js';

/** Somebody an identity provider vouches for. */
export interface StaffPerson extends IdentityNames {
  /** Name of the identity provider in our configuration. */
  readonly idp: string;
  readonly roles: readonly string[];
  /** Undefined where the identity provider is not asked for it: what is stored stays. */
  readonly email?: string;
}

/** An account as it is after a login of staff. */
export interface StaffEntry {
  readonly account: Account;
  /** Roles were taken away: the caller ends the other sessions in the same transaction. */
  readonly hasLostRoles: boolean;
}

/**
 * Accounts of staff: found by who vouches for whom and by nothing else, never by a mail address or a login id
 * (security-requirements.md, X15).
 */
@Injectable()
export class StaffAccounts {
  constructor(
    private readonly identities: StaffIdentityStore,
    private readonly accounts: AccountStore,
    private readonly loginIds: LoginIds,
    private readonly work: UnitOfWork,
    private readonly events: SecurityEvents,
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  /**
   * The account of somebody who signs in, with the roles and the mail address of now, made where `mayCreate` and there is
   * none; undefined where there is none. A disabled account stays as it is.
   */
  async enter(tx: Tx, person: StaffPerson, mayCreate: boolean): Promise<StaffEntry | undefined> {
    const id = identityId(person);
    const known = await this.identities.enter(tx, id);
    if (known !== undefined) return this.renewed(tx, known, person);
    if (!mayCreate) return undefined;
    const account = await this.created(tx, person, { actor: 'idp', logins: 1 });
    if (account) return { account, hasLostRoles: false };
    const other = await this.identities.enter(tx, id);
    return other === undefined ? undefined : this.renewed(tx, other, person);
  }

  /**
   * Makes the account of somebody before the first login, where only existing ones may enter. Roles and mail address are
   * those of the identity provider from the first login on.
   *
   * @throws ServiceError `VALIDATION_FAILED`; `CONFLICT` where the person has an account
   */
  async admit(person: StaffPerson, actor: string): Promise<Account> {
    const errors = faultsOf(person);
    if (errors.length > 0) throw new ServiceError('VALIDATION_FAILED', { errors });
    const account = await this.work.run((tx) => this.created(tx, person, { actor, logins: 0 }));
    if (!account) throw new ServiceError('CONFLICT', { reason: 'person known' });
    return account;
  }

  /** Undefined where the person has an account. */
  private async created(
    tx: Tx,
    person: StaffPerson,
    { actor, logins }: { readonly actor: string; readonly logins: 0 | 1 },
  ): Promise<Account | undefined> {
    const subject = timeOrderedId(this.clock.millis(), this.random.bytes(10));
    const first = { subject, logins, now: this.clock.seconds() };
    if (!(await this.identities.insert(tx, identityId(person), person, first))) return undefined;
    const { idp, roles, email } = person;
    const facts = { kind: 'staff', roles, email: storable(email), mfaRequired: false } as const;
    const createdAt = this.clock.seconds();
    for (const loginId of shownLoginIds(idp, person, (text) => this.loginIds.formOf(text))) {
      if (!(await this.accounts.insert(tx, [{ ...facts, id: subject, loginId, createdAt }]))) continue;
      await this.events.record(tx, { kind: 'USER_CREATED', subject, actor, idp });
      const stored = await this.accounts.find(tx, subject);
      if (stored) return withoutHash(stored);
    }
    throw new Error('no login id is left for an account of staff');
  }

  private async renewed(tx: Tx, subject: string, { idp, roles, email }: StaffPerson): Promise<StaffEntry | undefined> {
    // Whoever disables the account meanwhile waits, and then ends the session that begins here, too.
    const isActive = await this.accounts.holdActive(tx, subject);
    const stored = await this.accounts.find(tx, subject);
    if (!stored) return undefined;
    const account = withoutHash(stored);
    if (!isActive) return { account: { ...account, status: 'disabled' }, hasLostRoles: false };
    const address = storable(email);
    const change = {
      ...(rolesText(roles) !== rolesText(account.roles) && { roles }),
      ...(address !== undefined && address !== account.email && { email: address }),
    };
    const changed = Object.keys(change).sort().join(' ');
    if (changed === '') return { account, hasLostRoles: false };
    await this.accounts.follow(tx, subject, change, this.clock.seconds());
    await this.events.record(tx, { kind: 'USER_CHANGED', subject, actor: 'idp', idp, reason: changed });
    const hasLostRoles = account.roles.some((role) => !roles.includes(role));
    return { account: { ...account, ...change }, hasLostRoles };
  }
}

/** What an identity provider calls a mail address need not be one. */
function storable(email: string | undefined): string | undefined {
  return email !== undefined && isEmail(email) ? email : undefined;
}

function faultsOf({ person, roles, email }: StaffPerson): readonly FieldError[] {
  const faults: FieldError[] = [];
  if (!isPersonName(person)) faults.push({ field: 'person', code: 'malformed' });
  if (email !== undefined && !isEmail(email)) faults.push({ field: 'email', code: 'malformed' });
  if (!areRoles(roles)) faults.push({ field: 'roles', code: 'malformed' });
  return faults;
}
