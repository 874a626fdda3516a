import { Injectable } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import type { Tx } from '../../persistence/unit-of-work.js';
import { Random, timeOrderedId } from '../../random/random.js';
import type { AttemptSubject, FailureCounter } from '../attempts/attempt.js';
import { EnrolmentStore } from './enrolment.store.js';
import type { EnrolmentState, NamedAuthenticators } from '../second-factor.js';
import { SecondFactors } from '../second-factors.service.js';
import { TrustedDeviceStore } from '../trusted-device/trusted-device.store.js';

/** Seconds in which a pending secret can be confirmed. */
export const PENDING_SECONDS = 600;

/** A request for a new secret. */
export interface SetupRequest extends AttemptSubject {
  /** The session or `mfa_token` that alone may see and confirm the pending secret. */
  readonly askedBy: string;
  /** The active secret that the caller may replace; if absent, the account must not have one. */
  readonly replaces?: string;
  /** Keeps a pending secret that the same session or `mfa_token` asked for. */
  readonly keepsOwn?: boolean;
}

/** A new secret and its codes, which the owner is shown once. */
export interface NewEnrolment {
  readonly key: Uint8Array;
  readonly backupCodes: readonly string[];
}

/**
 * The authenticators of an account as its row names them: one active and one pending secret, one active set of codes. Each
 * method changes the row first, by a condition that decides, and then deletes what the row no longer names.
 */
@Injectable()
export class Authenticators {
  constructor(
    private readonly store: EnrolmentStore,
    private readonly factors: SecondFactors,
    private readonly devices: TrustedDeviceStore,
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  /** Reads what the owner may know, and the failures that may lock it; undefined if the account does not exist. */
  async state(
    tx: Tx,
    subject: string,
  ): Promise<{ readonly state: Omit<EnrolmentState, 'lock'>; readonly counter: FailureCounter } | undefined> {
    const stored = await this.store.state(tx, subject);
    return stored && { state: this.factors.state(stored), counter: stored };
  }

  /** Stores a pending secret, with codes that take effect with it; undefined if the caller may not. */
  async propose(tx: Tx, caller: SetupRequest): Promise<NewEnrolment | undefined> {
    const { subject, askedBy } = caller;
    const id = this.newId();
    const createdAt = this.clock.seconds();
    if (!(await this.store.ask(tx, caller, id, createdAt))) return undefined;
    await this.discardUnnamed(tx, subject);
    const authenticator = { id, subject, askedBy, createdAt, expiresAt: createdAt + PENDING_SECONDS };
    const key = await this.factors.enrol('totp', tx, authenticator);
    return { key, backupCodes: await this.factors.enrol('backup_code', tx, authenticator) };
  }

  /** Replaces the codes of a pending secret; undefined if the caller may not act any more. */
  async renewCodes(tx: Tx, caller: SetupRequest, pendingId: string): Promise<readonly string[] | undefined> {
    const { subject } = caller;
    if (!(await this.store.holdPending(tx, caller, pendingId))) return undefined;
    const named = await this.named(tx, subject);
    await this.factors.discard(tx, subject, { ...named, pendingTotpId: null }, ['backup_code']);
    return this.factors.enrol('backup_code', tx, { id: pendingId, subject });
  }

  /** Ends the trust in all devices and deletes the authenticators that the row no longer names, also after the row is gone. */
  async cleanUp(tx: Tx, subject: string): Promise<void> {
    await this.devices.deleteAll(tx, subject);
    await this.discardUnnamed(tx, subject);
  }

  /** Removes all authenticators; false if none is active. */
  async remove(tx: Tx, subject: string): Promise<boolean> {
    const isRemoved = await this.store.disable(tx, subject);
    if (isRemoved) await this.cleanUp(tx, subject);
    return isRemoved;
  }

  /** Removes all authenticators and demands a new enrolment; false if the account does not exist. */
  async reset(tx: Tx, subject: string): Promise<boolean> {
    const isReset = await this.store.reset(tx, subject);
    if (isReset) await this.cleanUp(tx, subject);
    return isReset;
  }

  /** Replaces the active set of codes; undefined if no secret is active. */
  async reissue(tx: Tx, subject: string): Promise<readonly string[] | undefined> {
    const setId = this.newId();
    if (!(await this.store.reissue(tx, subject, setId, this.clock.seconds()))) return undefined;
    await this.discardUnnamed(tx, subject);
    return this.factors.enrol('backup_code', tx, { id: setId, subject });
  }

  private async discardUnnamed(tx: Tx, subject: string): Promise<void> {
    await this.factors.discard(tx, subject, await this.named(tx, subject));
  }

  private async named(tx: Tx, subject: string): Promise<NamedAuthenticators> {
    return (await this.store.named(tx, subject)) ?? NO_AUTHENTICATORS;
  }

  private newId(): string {
    return timeOrderedId(this.clock.millis(), this.random.bytes(10));
  }
}

const NO_AUTHENTICATORS: NamedAuthenticators = { totpId: null, pendingTotpId: null, backupSetId: null };
