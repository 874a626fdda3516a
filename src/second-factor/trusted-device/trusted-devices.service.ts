import { Injectable } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import { Random, timeOrderedId } from '../../random/random.js';
import { SecurityEvents } from '../../events/security-events.service.js';
import type { Logger } from '../../logging/logger.js';
import { Loggers } from '../../logging/loggers.js';
import { MAX_SLICE, type Slice } from '../../persistence/slice.js';
import { type Tx, UnitOfWork } from '../../persistence/unit-of-work.js';
import { requestContext } from '../../principal/request-context.js';
import { hashSecret } from '../../session/session.js';
import { MfaProperties } from '../mfa.properties.js';
import { type TrustedDevice, TrustedDeviceStore } from './trusted-device.store.js';

export type { TrustedDevice } from './trusted-device.store.js';

/** What goes into the cookie `trusted_device`. */
export interface DeviceSecret {
  readonly secret: string;
  /** Epoch seconds; fixed from the grant, whether or not the device is used. */
  readonly expiresAt: number;
}

const SECRET_BYTES = 32;
const LABEL_LENGTH = 255;
const SECONDS_PER_DAY = 86_400;

/**
 * Browsers that skip the second factor where the deployment allows it. Whether policy demands the factor after all is
 * the caller's to ask; `amr` stays `["pwd"]`.
 */
@Injectable()
export class TrustedDevices {
  private readonly log: Logger;

  constructor(
    private readonly work: UnitOfWork,
    private readonly store: TrustedDeviceStore,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly events: SecurityEvents,
    private readonly properties: MfaProperties,
    loggers: Loggers,
  ) {
    this.log = loggers.get('mfa');
  }

  /** Trusts the browser of this request; undefined where trusted devices are off. */
  async grant(tx: Tx, subject: string): Promise<DeviceSecret | undefined> {
    if (!this.properties.trustedDeviceEnabled) return undefined;
    const now = this.clock.seconds();
    const expiresAt = now + this.properties.trustedDeviceDays * SECONDS_PER_DAY;
    const secret = this.random.text(SECRET_BYTES);
    const facts = requestContext();
    await this.store.deleteEnded(tx, subject, now);
    await this.store.insert(tx, subject, hashSecret(secret), {
      id: timeOrderedId(this.clock.millis(), this.random.bytes(10)),
      ...(facts?.agent !== undefined && { label: facts.agent.slice(0, LABEL_LENGTH) }),
      ...(facts && { ip: facts.ip }),
      createdAt: now,
      lastUsedAt: now,
      expiresAt,
    });
    await this.events.record(tx, { kind: 'DEVICE_TRUSTED', subject });
    return { secret, expiresAt };
  }

  /** Takes the secret of a cookie and gives the one that replaces it; undefined unless this user's device has it. */
  async recognise(tx: Tx, subject: string, secret: string): Promise<DeviceSecret | undefined> {
    if (!this.properties.trustedDeviceEnabled) return undefined;
    const next = this.random.text(SECRET_BYTES);
    const isKnown = await this.store.rotate(tx, subject, hashSecret(secret), hashSecret(next), this.clock.seconds());
    const expiresAt = isKnown ? await this.store.expiryOf(tx, hashSecret(next)) : undefined;
    this.log.debug(
      expiresAt === undefined ? 'A browser is not trusted, or no longer' : 'A browser is trusted: no code is due',
    );
    return expiresAt === undefined ? undefined : { secret: next, expiresAt };
  }

  /** Newest first. */
  list(subject: string, page: Slice = MAX_SLICE): Promise<readonly TrustedDevice[]> {
    return this.work.single((tx) => this.store.list(tx, subject, this.clock.seconds(), page));
  }

  /** False if the subject has no such device. */
  revoke(subject: string, id: string): Promise<boolean> {
    return this.work.run(async (tx) => {
      const isRevoked = await this.store.delete(tx, subject, id);
      if (isRevoked) await this.events.record(tx, { kind: 'DEVICE_REVOKED', subject });
      return isRevoked;
    });
  }

  async revokeAll(tx: Tx, subject: string): Promise<void> {
    await this.store.deleteAll(tx, subject);
  }
}
