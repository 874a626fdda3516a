import { Injectable } from '@nestjs/common';
import { BackupCodes } from '../backup-code/backup-codes.service.js';
import { Clock } from '../../clock/clock.js';
import { timeOrderedId } from '../../encoding/time-ordered-id.js';
import type { Tx } from '../../persistence/unit-of-work.js';
import { Random } from '../../random/random.js';
import type { AttemptSubject } from '../attempts/attempt.js';
import { EnrolmentStore } from './enrolment.store.js';
import { type GeneratedSecret, TotpSecrets } from '../totp/totp-secrets.service.js';
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

/**
 * The authenticators of an account as its row names them: one active and one pending secret, one live set of codes. Each
 * move changes the row first, by a condition that decides, and then drops what the row names no longer.
 */
@Injectable()
export class Authenticators {
  constructor(
    private readonly store: EnrolmentStore,
    private readonly secrets: TotpSecrets,
    private readonly backupCodes: BackupCodes,
    private readonly devices: TrustedDeviceStore,
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  /** Makes the secret the pending one, with codes that go live with it; undefined where the claim does not hold. */
  async propose(tx: Tx, caller: SetupRequest, drawn: GeneratedSecret): Promise<readonly string[] | undefined> {
    const { subject, askedBy } = caller;
    const id = this.newId();
    const createdAt = this.clock.seconds();
    if (!(await this.store.ask(tx, caller, id, createdAt))) return undefined;
    await this.sweep(tx, subject);
    await this.secrets.insertPending(tx, id, drawn, {
      subject,
      askedBy,
      createdAt,
      expiresAt: createdAt + PENDING_SECONDS,
    });
    return this.backupCodes.issue(tx, subject, id);
  }

  /** New codes for a pending secret in place of those it came with; undefined where the claim does not hold. */
  async renewCodes(tx: Tx, caller: SetupRequest, pendingId: string): Promise<readonly string[] | undefined> {
    const { subject } = caller;
    if (!(await this.store.holdPending(tx, caller, pendingId))) return undefined;
    const { backupSetId = null } = (await this.store.named(tx, subject)) ?? {};
    await this.backupCodes.keepOnly(tx, subject, present(backupSetId));
    return this.backupCodes.issue(tx, subject, pendingId);
  }

  /** Makes the pending secret the active one; false if it is no longer pending, or the step was used. */
  async activate(tx: Tx, caller: AttemptSubject, pendingId: string, step: number): Promise<boolean> {
    const now = this.clock.seconds();
    if (!(await this.store.confirm(tx, caller, pendingId, { step, now }))) return false;
    await this.secrets.activate(tx, pendingId, now);
    await this.devices.deleteAll(tx, caller.subject);
    await this.sweep(tx, caller.subject);
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
    await this.sweep(tx, subject);
    return this.backupCodes.issue(tx, subject, setId);
  }

  private async wiped(tx: Tx, subject: string): Promise<true> {
    await this.devices.deleteAll(tx, subject);
    await this.sweep(tx, subject);
    return true;
  }

  private async sweep(tx: Tx, subject: string): Promise<void> {
    const { totpId = null, pendingTotpId = null, backupSetId = null } = (await this.store.named(tx, subject)) ?? {};
    await this.secrets.keepOnly(tx, subject, present(totpId, pendingTotpId));
    await this.backupCodes.keepOnly(tx, subject, present(backupSetId, pendingTotpId));
  }

  private newId(): string {
    return timeOrderedId(this.clock.millis(), this.random.bytes(10));
  }
}

function present(...ids: readonly (string | null)[]): readonly string[] {
  return ids.filter((id) => id !== null);
}
