import { Injectable } from '@nestjs/common';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { SecurityEvents } from '../../events/security-events.service.js';
import type { Logger } from '../../../observability/logging/logger.js';
import { Loggers } from '../../../observability/logging/loggers.js';
import type { Tx } from '../../../platform/persistence/unit-of-work.js';
import { requestContext } from '../../../kernel/principal/request-context.js';
import { Random } from '../../../kernel/random/random.js';
import { hashSecret } from '../../session/session.js';
import { MfaProperties } from '../mfa.properties.js';
import type { DeviceSecret } from './trusted-device.js';
import { TrustedDeviceStore } from './trusted-device.store.js';

const SECRET_BYTES = 32;
const MAX_LABEL_LENGTH = 255;
const SECONDS_PER_DAY = 86_400;

/**
 * Browsers that skip the second factor if the deployment allows it. The caller checks whether policy demands the factor
 * nevertheless; `amr` stays `["pwd"]`.
 */
@Injectable()
export class TrustedDevices {
  private readonly log: Logger;

  constructor(
    private readonly store: TrustedDeviceStore,
    private readonly random: Random,
    private readonly events: SecurityEvents,
    private readonly properties: MfaProperties,
    loggers: Loggers,
  ) {
    this.log = loggers.get('mfa');
  }

  /** Trusts the browser of this request; undefined if trusted devices are disabled. */
  async grant(tx: Tx, subject: string): Promise<DeviceSecret | undefined> {
    if (!this.properties.trustedDeviceEnabled) return undefined;
    const secret = this.random.text(SECRET_BYTES);
    const { agent, ip } = requestContext() ?? {};
    const expiresAt = await this.store.insert(tx, {
      subject,
      secretHash: hashSecret(secret),
      lifetimeSeconds: this.properties.trustedDeviceDays * SECONDS_PER_DAY,
      ...withoutUndefined({ label: agent?.slice(0, MAX_LABEL_LENGTH), ip }),
    });
    await this.events.record(tx, { kind: 'DEVICE_TRUSTED', subject });
    return { secret, expiresAt };
  }

  /** Uses the secret of a cookie up and returns its successor; undefined unless a device of this user has that secret. */
  async recognise(tx: Tx, subject: string, secret: string): Promise<DeviceSecret | undefined> {
    if (!this.properties.trustedDeviceEnabled) return undefined;
    const next = this.random.text(SECRET_BYTES);
    const isKnown = await this.store.rotate(tx, subject, hashSecret(secret), hashSecret(next));
    const expiresAt = isKnown ? await this.store.expiryOf(tx, hashSecret(next)) : undefined;
    this.log.debug(
      expiresAt === undefined
        ? 'The browser is not trusted, or no longer'
        : 'The browser is trusted: no second step is required',
    );
    return expiresAt === undefined ? undefined : { secret: next, expiresAt };
  }
}
