import { Injectable } from '@nestjs/common';
import { SecurityEvents } from '../../events/security-events.service.js';
import { UnitOfWork } from '../../persistence/unit-of-work.js';
import type { Failure } from './attempt.js';
import { SecondFactorStore } from '../second-factor.store.js';
import { TrustedDeviceStore } from '../trusted-device/trusted-device.store.js';

/** Failures that become locks, and the end of a lock by an administrator. */
@Injectable()
export class Locks {
  constructor(
    private readonly work: UnitOfWork,
    private readonly store: SecondFactorStore,
    private readonly devices: TrustedDeviceStore,
    private readonly events: SecurityEvents,
  ) {}

  /** Records an attempt that failed; the attempt that begins a lock also ends the trust in all devices. */
  async fail(subject: string, attemptId: string, { event, reason }: Failure): Promise<void> {
    await this.work.run(async (tx) => {
      const isLocked = await this.store.lock(tx, subject, attemptId);
      await this.events.record(tx, { kind: event, subject, result: 'refused', reason });
      if (!isLocked) return;
      await this.devices.deleteAll(tx, subject);
      await this.events.record(tx, { kind: 'MFA_LOCKED', subject, result: 'refused' });
    });
  }

  /** Ends the lock of an account; false if it has no failures. */
  unlock(subject: string, actor: string): Promise<boolean> {
    return this.work.run(async (tx) => {
      const isUnlocked = await this.store.unlock(tx, subject);
      if (!isUnlocked) return false;
      await this.events.record(tx, { kind: 'MFA_UNLOCKED', subject, actor });
      return true;
    });
  }
}
