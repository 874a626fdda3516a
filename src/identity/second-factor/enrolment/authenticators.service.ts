import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import { Random, timeOrderedId } from '../../../kernel/random/random.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { EnrolmentChange, FailureCounter } from '../attempts/attempt.js';
import type { NewPasskey, PasskeyPlace } from '../passkey/passkey.js';
import { EnrolmentStore, type PasskeyOwner } from './enrolment.store.js';
import type { SecondFactorsById } from '../second-factor.js';
import type { EnrolmentState } from '../factor-state.js';
import type { SetupRequest } from '../factor-state.js';
import type { StoredFactors } from '../factor-state.js';
import { ObsoleteAuthenticators } from './obsolete-authenticators.service.js';
import { SECOND_FACTORS } from '../second-factors.service.js';

/** Seconds in which a pending secret can be confirmed. */
export const PENDING_SECONDS = 600;

/** A stored passkey; the codes are shown once. */
export interface AddedPasskey {
  readonly id: string;
  /** Epoch seconds. */
  readonly createdAt: number;
  readonly backupCodes?: readonly string[];
}

/** A new secret and its codes, which the owner is shown once; a further authenticator has no codes of its own. */
export interface NewEnrolment {
  readonly key: Uint8Array;
  readonly backupCodes?: readonly string[];
}

/**
 * Adds authenticators to an account: apps and passkeys, one pending secret, and one active set of backup codes. The
 * row of the account has their numbers and the ids of the secret and the set. Each method changes the row first, by a
 * condition that decides, and then deletes what the row no longer names.
 */
@Injectable()
export class Authenticators {
  constructor(
    private readonly store: EnrolmentStore,
    @Inject(SECOND_FACTORS) private readonly factors: SecondFactorsById,
    private readonly obsolete: ObsoleteAuthenticators,
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  /** Reads what the owner may know, and the failures that may lock it; undefined if the account does not exist. */
  async state(
    tx: Tx,
    subject: string,
  ): Promise<{ readonly state: Omit<EnrolmentState, 'lock'>; readonly counter: FailureCounter } | undefined> {
    const stored = await this.store.state(tx, subject);
    return stored && { state: this.stateOf(stored), counter: stored };
  }

  /** Stores a pending secret, with codes that take effect with it unless it is a further one; undefined if the caller may not. */
  async propose(tx: Tx, caller: SetupRequest): Promise<NewEnrolment | undefined> {
    const { subject, requestedBy, change = 'first', name } = caller;
    const id = this.newId();
    const createdAt = this.clock.seconds();
    if (!(await this.store.ask(tx, caller, id, createdAt))) return undefined;
    await this.obsolete.discard(tx, subject);
    const authenticator = {
      id,
      subject,
      requestedBy,
      change,
      name,
      createdAt,
      expiresAt: createdAt + PENDING_SECONDS,
    };
    const key = await this.factors.totp.enrol(tx, authenticator);
    if (change === 'add') return { key };
    return { key, backupCodes: await this.factors.backup_code.enrol(tx, authenticator) };
  }

  /** Replaces the codes of a pending secret; undefined if the caller may not act any more. */
  async renewCodes(tx: Tx, caller: SetupRequest, pendingId: string): Promise<readonly string[] | undefined> {
    const { subject } = caller;
    if (!(await this.store.holdPending(tx, caller, pendingId))) return undefined;
    const named = await this.obsolete.named(tx, subject);
    await this.factors.backup_code.discard(tx, subject, { ...named, pendingTotpId: null });
    return this.factors.backup_code.enrol(tx, { id: pendingId, subject });
  }

  /**
   * Stores a passkey. The first authenticator of an account comes with backup codes. Undefined if the caller may not.
   * @throws ServiceError `MFA_STATE_CONFLICT` if the credential is registered already
   */
  async addPasskey(
    tx: Tx,
    caller: PasskeyOwner,
    passkey: Omit<NewPasskey, 'id' | 'subject' | 'createdAt'>,
    place: PasskeyPlace,
  ): Promise<AddedPasskey | undefined> {
    const { subject } = caller;
    const id = this.newId();
    const createdAt = this.clock.seconds();
    if (!(await this.store.addPasskey(tx, caller, place, { setId: id, now: createdAt }))) return undefined;
    if (!(await this.factors.passkey.enrol(tx, { ...passkey, id, subject, createdAt }))) {
      throw new ServiceError('MFA_STATE_CONFLICT', { reason: 'passkey known' });
    }
    if (place !== 'first') return { id, createdAt };
    await this.obsolete.discard(tx, subject);
    return { id, createdAt, backupCodes: await this.factors.backup_code.enrol(tx, { id, subject }) };
  }

  /** Deletes what a confirmed secret has replaced; a further one replaces nothing but earlier pending ones. */
  discardAfter(tx: Tx, subject: string, change: EnrolmentChange): Promise<void> {
    return change === 'add' ? this.obsolete.discard(tx, subject) : this.obsolete.cleanUp(tx, subject);
  }

  /** Replaces the active set of codes; undefined without an authenticator. */
  async reissue(tx: Tx, subject: string): Promise<readonly string[] | undefined> {
    const setId = this.newId();
    if (!(await this.store.reissue(tx, subject, setId, this.clock.seconds()))) return undefined;
    await this.obsolete.discard(tx, subject);
    return this.factors.backup_code.enrol(tx, { id: setId, subject });
  }

  private stateOf(stored: StoredFactors): Omit<EnrolmentState, 'lock'> {
    const totp = this.factors.totp.state(stored);
    const { since } = this.factors.passkey.state(stored);
    const instants = [totp.activatedAt, since].filter((at) => at !== undefined);
    return {
      ...totp,
      ...(instants.length > 0 && { state: 'active', activatedAt: Math.min(...instants) }),
      hasTotp: totp.state === 'active',
      hasPasskey: since !== undefined,
      backupCodes: this.factors.backup_code.state(stored),
    };
  }

  private newId(): string {
    return timeOrderedId(this.clock.millis(), this.random.bytes(10));
  }
}
