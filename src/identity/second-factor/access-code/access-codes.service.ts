import { Injectable } from '@nestjs/common';
import type { Account } from '../../account/account.js';
import { SecurityEvents } from '../../events/security-events.service.js';
import { Clock } from '../../../kernel/clock/clock.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import { BackupCodes } from '../backup-code/backup-codes.service.js';
import { MfaProperties } from '../mfa.properties.js';
import type { IssuedAccessCode } from './access-code.js';
import { AccessCodeStore } from './access-code.store.js';

/** Seconds in which the login that used a code can set up the authenticator, as long as a pending secret can be confirmed. */
const SETUP_SECONDS = 600;

/** A login that sets up the first authenticator of its account. */
export interface EnrollingLogin {
  readonly subject: string;
  /** The session or `mfa_token`. */
  readonly requestedBy: string;
}

/**
 * Temporary access codes: without one, a stolen password alone would enrol an authenticator after a reset. A code is used by
 * one login, once; the authenticator that this login sets up deletes it.
 */
@Injectable()
export class AccessCodes {
  constructor(
    private readonly store: AccessCodeStore,
    private readonly codes: BackupCodes,
    private readonly properties: MfaProperties,
    private readonly events: SecurityEvents,
    private readonly clock: Clock,
  ) {}

  /** Issues a code in place of an earlier one; the caller has locked the row of the account. */
  async issue(
    tx: Tx,
    subject: string,
    by: { readonly actor?: string; readonly reason?: string },
  ): Promise<IssuedAccessCode> {
    const createdAt = this.clock.seconds();
    const expiresAt = createdAt + Math.ceil(this.properties.accessCodeValidity.seconds);
    const { shown, stored } = this.codes.createOne();
    await this.store.replace(tx, subject, stored, { createdAt, expiresAt });
    await this.events.record(tx, { kind: 'ACCESS_CODE_ISSUED', subject, ...by });
    return { code: shown, expiresAt };
  }

  /** Issues a code to the user who has accepted an invitation; undefined unless the first authenticator needs one. */
  async issueToInvited(tx: Tx, account: Account): Promise<IssuedAccessCode | undefined> {
    if (!this.properties.demandsAccessCode(account)) return undefined;
    return this.issue(tx, account.id, { reason: 'invitation' });
  }

  /** Gives the normalised code to this login; false if it is not the code of the account, or was used, or has expired. */
  async use(tx: Tx, { subject, requestedBy }: EnrollingLogin, code: string): Promise<boolean> {
    const now = this.clock.seconds();
    const use = { subject, usedBy: requestedBy, now };
    const isUsed = await this.store.use(tx, use, this.codes.formsOf(code), now + SETUP_SECONDS);
    if (isUsed) await this.events.record(tx, { kind: 'ACCESS_CODE_USED', subject });
    return isUsed;
  }

  /** True while this login may set up an authenticator by the code that it has used. */
  isUsedBy(tx: Tx, { subject, requestedBy }: EnrollingLogin): Promise<boolean> {
    return this.store.isUsedBy(tx, { subject, usedBy: requestedBy, now: this.clock.seconds() });
  }

  /** Deletes the code that this login has used; false if it has none, or no longer. */
  spend(tx: Tx, { subject, requestedBy }: EnrollingLogin): Promise<boolean> {
    return this.store.spend(tx, { subject, usedBy: requestedBy, now: this.clock.seconds() });
  }

  /** Ends the code of the account. */
  forget(tx: Tx, subject: string): Promise<void> {
    return this.store.delete(tx, subject);
  }
}
