import { Injectable } from '@nestjs/common';
import { BackupCodeFactor } from '../backup-code/backup-code-factor.service.js';
import { Clock } from '../../clock/clock.js';
import { Random, timeOrderedId } from '../../random/random.js';
import type { Tx } from '../../persistence/unit-of-work.js';
import type { AttemptSubject } from '../attempts/attempt.js';
import type { EnrolmentState } from './enrolment-state.js';
import { EnrolmentStore } from './enrolment.store.js';
import type { NamedAuthenticators, StoredFactors } from '../second-factor.js';
import { SecondFactors } from '../second-factors.service.js';
import { TotpFactor } from '../totp/totp-factor.service.js';
import { TrustedDeviceStore } from '../trusted-device/trusted-device.store.js';

/** Seconds in which a pending secret can be confirmed. */
export const PENDING_SECONDS = 600;

/** Who asks for a new secret. */
export interface SetupRequest extends AttemptSubject {
  /** The session or half token that alone may see and confirm the pending secret. */
  readonly askedBy: string;
  /** The active secret that the caller may replace; unset, there must be none. */
  readonly replaces?: string;
  /** A pending secret of the same asker is not replaced. */
  readonly keepsOwn?: boolean;
}

/** What the owner of a new enrolment is shown once. */
export interface NewEnrolment {
  readonly key: Uint8Array;
  readonly backupCodes: readonly string[];
}

/**
 * The authenticators of an account as its row names them: one active and one pending secret, one live set of codes. Each
 * move changes the row first, by a condition that decides, and then drops what the row names no longer.
 */
@Injectable()
export class Authenticators {
  constructor(
    private readonly store: EnrolmentStore,
    private readonly factors: SecondFactors,
    private readonly totp: TotpFactor,
    private readonly backupCodes: BackupCodeFactor,
    private readonly devices: TrustedDeviceStore,
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  /** What the owner may know, without the lock. */
  state(stored: StoredFactors): EnrolmentState {
    return { ...this.totp.state(stored), backupCodes: this.backupCodes.state(stored) };
  }

  /** Stores a pending secret, with codes that take effect with it; undefined where the caller may not. */
  async propose(tx: Tx, caller: SetupRequest): Promise<NewEnrolment | undefined> {
    const { subject, askedBy } = caller;
    const id = this.newId();
    const createdAt = this.clock.seconds();
    if (!(await this.store.ask(tx, caller, id, createdAt))) return undefined;
    await this.discardUnnamed(tx, subject);
    const authenticator = { id, subject, askedBy, createdAt, expiresAt: createdAt + PENDING_SECONDS };
    const key = await this.totp.enrol(tx, authenticator);
    return { key, backupCodes: await this.backupCodes.enrol(tx, authenticator) };
  }

  /** New codes for a pending secret in place of those it came with; undefined where the claim does not hold. */
  async renewCodes(tx: Tx, caller: SetupRequest, pendingId: string): Promise<readonly string[] | undefined> {
    const { subject } = caller;
    if (!(await this.store.holdPending(tx, caller, pendingId))) return undefined;
    const named = await this.named(tx, subject);
    await this.backupCodes.discard(tx, subject, { ...named, pendingTotpId: null });
    return this.backupCodes.enrol(tx, { id: pendingId, subject });
  }

  /** Makes the pending secret the active one; false if it is no longer pending, or the step was used. */
  async activate(tx: Tx, caller: AttemptSubject, pendingId: string, step: number): Promise<boolean> {
    const now = this.clock.seconds();
    if (!(await this.store.confirm(tx, caller, pendingId, { step, now }))) return false;
    await this.totp.activate(tx, pendingId, now);
    await this.devices.deleteAll(tx, caller.subject);
    await this.discardUnnamed(tx, caller.subject);
    return true;
  }

  /** Takes everything away; false where nothing is active. */
  async remove(tx: Tx, subject: string): Promise<boolean> {
    return (await this.store.disable(tx, subject)) && this.wiped(tx, subject);
  }

  /** Takes everything away and demands a new enrolment; false where there is no such account. */
  async reset(tx: Tx, subject: string): Promise<boolean> {
    return (await this.store.reset(tx, subject)) && this.wiped(tx, subject);
  }

  /** Takes away what is left of an account whose row is gone. */
  async forget(tx: Tx, subject: string): Promise<void> {
    await this.wiped(tx, subject);
  }

  /** Replaces the live set of codes; undefined where no secret is active. */
  async reissue(tx: Tx, subject: string): Promise<readonly string[] | undefined> {
    const setId = this.newId();
    if (!(await this.store.reissue(tx, subject, setId, this.clock.seconds()))) return undefined;
    await this.discardUnnamed(tx, subject);
    return this.backupCodes.enrol(tx, { id: setId, subject });
  }

  private async wiped(tx: Tx, subject: string): Promise<true> {
    await this.devices.deleteAll(tx, subject);
    await this.discardUnnamed(tx, subject);
    return true;
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
