import type { Clock } from '../clock/clock.js';
import type { Meters } from '../metrics/meters.js';
import type { IdpMetadataCache } from './idp/idp-metadata-cache.js';

/** How old what we know of identity providers is, and how long their certificates last. */
export class IdpMeters {
  constructor(
    private readonly meters: Meters,
    private readonly clock: Clock,
  ) {}

  /** Since when we know what we know; no number until something is known. */
  watchAge(idp: IdpMetadataCache): void {
    const description = 'Time since the metadata of an identity provider were last read';
    const facts = { description, baseUnit: 'seconds' };
    const age = (): number => (idp.updatedAt === undefined ? NaN : (this.clock.millis() - idp.updatedAt) / 1000);
    this.meters.gauge('saml.metadata.age', facts, age, { idp: idp.name });
  }

  /** Of several, the one that lasts longest counts: while an identity provider changes them, an old one may end. */
  watchCertificates(idp: IdpMetadataCache): void {
    const description = 'Time until the last signing certificate of an identity provider ends; below zero it has';
    const facts = { description, baseUnit: 'seconds' };
    const left = (): number => {
      const ends = idp.certificates.map(({ end }) => end);
      return ends.length === 0 ? NaN : (Math.max(...ends) - this.clock.millis()) / 1000;
    };
    this.meters.gauge('saml.certificate.expiry', facts, left, { idp: idp.name });
  }
}
