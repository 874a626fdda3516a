import { Injectable } from '@nestjs/common';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { SecurityEvents } from '../../events/security-events.service.js';
import { MAX_SLICE, type Slice } from '../../../platform/persistence/slice.js';
import { type Tx, UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { hashSecret } from '../../session/session.js';
import { MfaProperties } from '../mfa.properties.js';
import { TrustedDeviceStore } from './trusted-device.store.js';
import type { TrustedDevice } from './trusted-device.js';

/** Lists the trusted devices of an account and ends the trust in them. */
@Injectable()
export class TrustedDeviceList {
  constructor(
    private readonly work: UnitOfWork,
    private readonly store: TrustedDeviceStore,
    private readonly events: SecurityEvents,
    private readonly properties: MfaProperties,
  ) {}

  /** Newest first. */
  list(subject: string, page: Slice = MAX_SLICE): Promise<readonly TrustedDevice[]> {
    return this.work.single((tx) => this.store.list(tx, subject, page));
  }

  /** True if a device of any user has the secret: it proves nothing, but tells the cookie from one of another service. */
  async isStored(secret: string): Promise<boolean> {
    if (!this.properties.trustedDeviceEnabled) return false;
    return (await this.work.single((tx) => this.store.expiryOf(tx, hashSecret(secret)))) !== undefined;
  }

  /** False if the subject has no such device. */
  revoke(subject: string, id: string): Promise<boolean> {
    return this.work.run((tx) => this.revokeOne(tx, subject, id));
  }

  /** `actor` is the administrator, if it is not the owner. */
  async revokeOne(tx: Tx, subject: string, id: string, actor?: string): Promise<boolean> {
    const isRevoked = await this.store.delete(tx, subject, id);
    if (isRevoked) await this.events.record(tx, { kind: 'DEVICE_REVOKED', subject, ...withoutUndefined({ actor }) });
    return isRevoked;
  }

  async revokeAll(tx: Tx, subject: string): Promise<void> {
    await this.store.deleteAll(tx, subject);
  }
}
