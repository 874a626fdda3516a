import { Injectable } from '@nestjs/common';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { Clock } from '../../../kernel/clock/clock.js';
import {
  type Health,
  HealthComponents,
  type HealthIndicator,
} from '../../../observability/health/health-components.js';
import type { CertificateFacts } from './idp-trust.js';
import { type IdpEntry, Idps } from './idps.service.js';
import { metadataSource } from './metadata-source.js';
import { SAML_COMPONENT } from '../saml.properties.js';

/** Time enough to replace a certificate at both sides. */
const SOON_MILLIS = 30 * 86_400_000;

/** Reports whether staff can sign in through every identity provider, and when its certificates expire. */
@Injectable()
export class SamlIndicator implements HealthIndicator {
  readonly name = SAML_COMPONENT;
  /** The metadata comes from another system. */
  readonly isExternal = true;

  constructor(
    private readonly idps: Idps,
    private readonly clock: Clock,
    components: HealthComponents,
  ) {
    if (idps.entries.length > 0) components.add(this);
  }

  check(): Health {
    const now = this.clock.millis();
    const { entries } = this.idps;
    const isUsable = entries.every(({ cache }) => !('problem' in cache.trustAt(now)));
    const warnings = entries.flatMap((entry) => warningsOf(entry, now));
    return {
      status: isUsable ? 'UP' : 'OUT_OF_SERVICE',
      details: {
        providers: entries.map((entry) => describe(entry, now)),
        ...(warnings.length > 0 && { warnings }),
      },
    };
  }
}

function describe({ cache, properties }: IdpEntry, now: number): object {
  const { updatedAt, current: { trust } = {}, failure } = cache;
  const found = cache.trustAt(now);
  const source = properties.metadata === undefined ? 'configuration' : metadataSource(properties.metadata).kind;
  return {
    idp: cache.name,
    usable: !('problem' in found),
    source,
    ...withoutUndefined({ entityId: trust?.entityId }),
    ...(source !== 'configuration' &&
      updatedAt !== undefined && { readAt: instant(updatedAt), ageSeconds: Math.floor((now - updatedAt) / 1000) }),
    ...(trust?.validUntil !== undefined && { validUntil: instant(trust.validUntil) }),
    certificates: cache.certificates.map((certificate) => ({
      subject: certificate.subject,
      fingerprint: certificate.fingerprint,
      validTo: instant(certificate.end),
      validity: validityOf(certificate, now),
    })),
    ...('problem' in found ? { error: found.problem } : failure !== undefined && { error: failure }),
  };
}

function warningsOf({ cache: { name, certificates } }: IdpEntry, now: number): readonly string[] {
  return certificates.flatMap((certificate) => {
    const { subject, end } = certificate;
    const validity = validityOf(certificate, now);
    if (validity === 'EXPIRED') return [`${name}: the certificate ${subject} expired at ${instant(end)}`];
    return validity === 'EXPIRES_SOON' ? [`${name}: the certificate ${subject} expires at ${instant(end)}`] : [];
  });
}

function validityOf({ begin, end }: CertificateFacts, now: number): string {
  if (end < now) return 'EXPIRED';
  if (begin > now) return 'NOT_YET_VALID';
  return end < now + SOON_MILLIS ? 'EXPIRES_SOON' : 'VALID';
}

function instant(millis: number): string {
  return new Date(millis).toISOString();
}
