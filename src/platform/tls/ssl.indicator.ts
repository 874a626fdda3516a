import type { X509Certificate } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { type Health, HealthComponents, type HealthIndicator } from '../../observability/health/health-components.js';
import { distinguishedName } from './bundle-reading.js';
import { type BundleChain, SslChains } from './ssl-chains.service.js';
import { SSL_COMPONENT, SslHealthProperties } from './tls.properties.js';

/** States of a certificate; the first that applies to one certificate applies to its chain. */
const VALIDITIES = ['EXPIRED', 'NOT_YET_VALID', 'WILL_EXPIRE_SOON', 'VALID'] as const;
type Validity = (typeof VALIDITIES)[number];

interface Chain {
  readonly validity: Validity | 'UNREADABLE';
  readonly shown: object;
}

/**
 * Reports the validity of the certificates of all bundles (management API, "Indicators of the login service"). A chain that
 * will expire soon is among the valid and the expiring ones, and the status remains UP.
 */
@Injectable()
export class SslIndicator implements HealthIndicator {
  readonly name = SSL_COMPONENT;
  private readonly warnMillis: number;

  constructor(
    private readonly chains: SslChains,
    { certificateValidityWarningThreshold }: SslHealthProperties,
    private readonly clock: Clock,
    components: HealthComponents,
  ) {
    this.warnMillis = certificateValidityWarningThreshold.milliseconds;
    if (!chains.isEmpty) components.add(this);
  }

  async check(): Promise<Health> {
    const now = this.clock.millis();
    const chains = (await this.chains.current()).map((chain) => this.examined(chain, now));
    const those = (...validities: readonly Chain['validity'][]): readonly object[] =>
      chains.filter(({ validity }) => validities.includes(validity)).map(({ shown }) => shown);
    const invalidChains = those('EXPIRED', 'NOT_YET_VALID', 'UNREADABLE');
    return {
      status: invalidChains.length === 0 ? 'UP' : 'OUT_OF_SERVICE',
      details: {
        validChains: those('VALID', 'WILL_EXPIRE_SOON'),
        expiringChains: those('WILL_EXPIRE_SOON'),
        invalidChains,
      },
    };
  }

  private examined(found: BundleChain, now: number): Chain {
    if ('error' in found) return { validity: 'UNREADABLE', shown: found };
    const { bundle, chain } = found;
    const certificates = chain.map((certificate) => this.shownOf(certificate, now));
    const worst = VALIDITIES.find((validity) => certificates.some((certificate) => certificate.validity === validity));
    return { validity: worst ?? 'VALID', shown: { bundle, certificates } };
  }

  private shownOf({ subject, issuer, validFrom, validTo }: X509Certificate, now: number) {
    const [begin, end] = [Date.parse(validFrom), Date.parse(validTo)];
    return {
      subject: distinguishedName(subject),
      issuer: distinguishedName(issuer),
      validFrom: new Date(begin).toISOString(),
      validTo: new Date(end).toISOString(),
      validity: this.validityOf(begin, end, now),
    };
  }

  private validityOf(begin: number, end: number, now: number): Validity {
    if (end < now) return 'EXPIRED';
    if (begin > now) return 'NOT_YET_VALID';
    return end - now < this.warnMillis ? 'WILL_EXPIRE_SOON' : 'VALID';
  }
}
