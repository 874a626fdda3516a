import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { ACR_MFA } from '../../../kernel/principal/amr.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { configuredTrust, type IdpTrust } from './idp-trust.js';
import { type IdpProperties, SamlProperties } from '../saml.properties.js';
import { requestedContext } from '../login/response/authn-context.js';
import { IdpMetadataCache } from './idp-metadata-cache.js';

/** Value of `Retry-After`; a failed reading of metadata is first retried after 5 s. */
const RETRY_AFTER_SECONDS = 10;

/** An identity provider of the configuration. */
export interface Idp {
  readonly name: string;
  readonly displayName: string;
  readonly properties: IdpProperties;
  /**
   * The current trust settings; read them for each message, since metadata changes.
   * @throws ServiceError `UNAVAILABLE` without valid metadata
   */
  trust(): IdpTrust;
  /** Whether the certificates differ from `used` once the trust settings have been renewed, if they can be. */
  hasNewCertificates(used: readonly string[]): Promise<boolean>;
}

/** Reads the trust settings of an identity provider again, as often as it may. */
type TrustRenewal = (name: string) => Promise<void>;

/** The configuration of an identity provider, and the cache of its metadata. */
export interface IdpEntry {
  readonly properties: IdpProperties;
  readonly cache: IdpMetadataCache;
}

/** The configured identity providers, by the names in their paths. */
@Injectable()
export class Idps {
  private readonly byName: ReadonlyMap<string, IdpEntry>;
  private renew: TrustRenewal = () => Promise.resolve();

  constructor(
    { idp }: SamlProperties,
    private readonly clock: Clock,
  ) {
    this.byName = new Map(
      Array.from(idp, ([name, properties]) => [name, { properties, cache: emptyCache(name, properties) }]),
    );
    for (const { properties, cache } of this.byName.values()) {
      if (properties.metadata === undefined) this.useConfigured(properties, cache);
    }
  }

  /** For the code that refreshes and reports metadata. */
  get entries(): readonly IdpEntry[] {
    return [...this.byName.values()];
  }

  /** Sets what renews trust settings when a signature fits no known certificate; without it they stay as they are. */
  setRenewal(renew: TrustRenewal): void {
    this.renew = renew;
  }

  /** In the order of the configuration. */
  list(): readonly Pick<Idp, 'name' | 'displayName'>[] {
    return this.entries.map(({ cache: { name, displayName } }) => ({ name, displayName }));
  }

  /** The name that users know; of an identity provider that is no longer configured, the name in its path. */
  displayName(name: string): string {
    return this.byName.get(name)?.cache.displayName ?? name;
  }

  /** True if a login at this identity provider can request a second factor there. */
  offersSecondFactor(name: string): boolean {
    const entry = this.byName.get(name);
    return entry !== undefined && requestedContext(entry.properties, ACR_MFA) !== 'not_offered';
  }

  /** The identity provider of a path. @throws ServiceError `NOT_FOUND` */
  named(name: string): Idp {
    const entry = this.byName.get(name);
    if (!entry) throw new ServiceError('NOT_FOUND');
    const { cache, properties } = entry;
    const trust = (): IdpTrust => this.trustOf(cache);
    const hasNewCertificates = async (used: readonly string[]): Promise<boolean> => {
      await this.renew(name);
      return trust().certificates.join('\n') !== used.join('\n');
    };
    return { name, displayName: cache.displayName, properties, trust, hasNewCertificates };
  }

  private trustOf(cache: IdpMetadataCache): IdpTrust {
    const found = cache.trustAt(this.clock.millis());
    if (!('problem' in found)) return found;
    throw new ServiceError('UNAVAILABLE', { retryAfterSeconds: RETRY_AFTER_SECONDS, reason: 'no valid metadata' });
  }

  private useConfigured(properties: IdpProperties, cache: IdpMetadataCache): void {
    const found = configuredTrust(properties);
    if ('problem' in found) cache.markFailed(found.problem);
    else cache.update(found, this.clock.millis());
  }
}

function emptyCache(name: string, { displayName = name }: IdpProperties): IdpMetadataCache {
  return new IdpMetadataCache(name, displayName);
}
