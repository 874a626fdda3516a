import { Inject, Injectable } from '@nestjs/common';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import { PasskeyChallengeStore } from '../passkey/passkey-challenge.store.js';
import { FACTOR_IDS, type SecondFactorsById } from '../second-factor.js';
import type { NamedAuthenticators } from '../factor-state.js';
import { SECOND_FACTORS } from '../second-factors.service.js';
import { TrustedDeviceStore } from '../trusted-device/trusted-device.store.js';
import { EnrolmentStore } from './enrolment.store.js';

/** Deletes what the row of an account does not name any more. */
@Injectable()
export class ObsoleteAuthenticators {
  constructor(
    private readonly store: EnrolmentStore,
    @Inject(SECOND_FACTORS) private readonly factors: SecondFactorsById,
    private readonly challenges: PasskeyChallengeStore,
    private readonly devices: TrustedDeviceStore,
  ) {}

  /**
   * Ends the trust in all devices and the ceremonies that wait for a response, and deletes the authenticators that the row
   * no longer names, also after the row is gone.
   */
  async cleanUp(tx: Tx, subject: string): Promise<void> {
    await this.devices.deleteAll(tx, subject);
    await this.challenges.deleteAll(tx, subject);
    await this.discard(tx, subject);
  }

  /** Deletes the pending secrets and codes that the row no longer names. */
  async discard(tx: Tx, subject: string): Promise<void> {
    const named = await this.named(tx, subject);
    for (const id of FACTOR_IDS) await this.factors[id].discard(tx, subject, named);
  }

  async named(tx: Tx, subject: string): Promise<NamedAuthenticators> {
    return (await this.store.named(tx, subject)) ?? NO_AUTHENTICATORS;
  }
}

const NO_AUTHENTICATORS: NamedAuthenticators = {
  ...{ totpCount: 0, passkeyCount: 0 },
  ...{ pendingTotpId: null, backupSetId: null },
};
