import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import { timeOrderedId } from '../encoding/time-ordered-id.js';
import { SecurityEvents } from '../events/security-events.service.js';
import type { Tx } from '../persistence/unit-of-work.js';
import { Random } from '../random/random.js';
import type { Account } from './account.js';
import { AccountStore, withoutHash } from './account.store.js';
import { isEmail } from './email.js';
import { LoginIds } from './login-ids.service.js';
import { rolesText } from './role-names.js';
import { identityId, type IdentityNames, shownLoginIds } from './staff-identity.js';
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
    const subject = timeOrderedId(this.clock.millis(), this.random.bytes(10));
    if (await this.identities.insert(tx, id, person, subject, this.clock.seconds())) {
      return { account: await this.created(tx, subject, person), hasLostRoles: false };
    }
    const other = await this.identities.enter(tx, id);
    return other === undefined ? undefined : this.renewed(tx, other, person);
  }

  private async created(tx: Tx, subject: string, person: StaffPerson): Promise<Account> {
    const { idp, roles, email } = person;
    const facts = { kind: 'staff', roles, email: storable(email), mfaRequired: false } as const;
    const createdAt = this.clock.seconds();
    for (const loginId of shownLoginIds(idp, person, (text) => this.loginIds.formOf(text))) {
      if (!(await this.accounts.insert(tx, [{ ...facts, id: subject, loginId, createdAt }]))) continue;
      await this.events.record(tx, { kind: 'USER_CREATED', subject, actor: 'idp', idp });
      const stored = await this.accounts.find(tx, subject);
      if (stored) return withoutHash(stored);
    }
    throw new Error('no login id is left for an account of staff');
  }

  private async renewed(tx: Tx, subject: string, { idp, roles, email }: StaffPerson): Promise<StaffEntry | undefined> {
    const stored = await this.accounts.find(tx, subject);
    if (!stored) return undefined;
    const account = withoutHash(stored);
    if (account.status !== 'active') return { account, hasLostRoles: false };
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
