import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { SslChains } from '../../../platform/tls/ssl-chains.service.js';
import { Idps } from '../../../signin/saml/idp/idps.service.js';
import type { ListedCertificate } from './overview.js';

const DUE_MILLIS = 30 * 86_400_000;

/** Lists when the certificates of bundles and identity providers expire. */
@Injectable()
export class Certificates {
  constructor(
    private readonly chains: SslChains,
    private readonly idps: Idps,
    private readonly clock: Clock,
  ) {}

  /** One for each bundle and identity provider; those that end first come first. */
  async list(): Promise<readonly ListedCertificate[]> {
    const bundles = (await this.chains.current()).map((found) => {
      // A chain is valid until its first certificate expires.
      const ends = 'chain' in found ? found.chain.map(({ validTo }) => Date.parse(validTo)) : [];
      return this.listed(found.bundle, 'bundle', ends.length === 0 ? undefined : Math.min(...ends));
    });
    const ofIdps = this.idps.entries.map(({ cache }) => {
      // During a key rollover, the former certificate may expire.
      const ends = cache.certificates.map(({ end }) => end);
      return this.listed(cache.displayName, 'idp', ends.length === 0 ? undefined : Math.max(...ends));
    });
    return [...bundles, ...ofIdps].sort((one, other) => (one.endsAt ?? 0) - (other.endsAt ?? 0));
  }

  private listed(name: string, user: ListedCertificate['user'], endMillis: number | undefined): ListedCertificate {
    const isDue = endMillis === undefined || endMillis - this.clock.millis() < DUE_MILLIS;
    return { name, user, isDue, ...withoutUndefined({ endsAt: endMillis && Math.floor(endMillis / 1000) }) };
  }
}
