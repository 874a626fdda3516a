import { Injectable } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import { ServiceError } from '../../errors/service-error.js';
import { configuredTrust } from './configured-trust.js';
import type { IdpProperties } from './idp.properties.js';
import type { IdpTrust } from './idp-trust.js';
import { KnownIdp } from './idp-metadata-cache.js';
import { SamlProperties } from '../saml.properties.js';

/** A failed reading of metadata is repeated after seconds at first. */
const RETRY_AFTER_SECONDS = 10;

/** An identity provider of the configuration. */
export interface Idp {
  readonly name: string;
  readonly displayName: string;
  readonly properties: IdpProperties;
  /**
   * What it is trusted by at this moment; asked anew for each message, since metadata change.
   * @throws ServiceError `UNAVAILABLE` while nothing is known of it, and when its metadata are no longer valid
   */
  trust(): IdpTrust;
}

/** One identity provider, and where what is known of it is kept. */
export interface IdpEntry {
  readonly properties: IdpProperties;
  readonly known: KnownIdp;
}

/** The identity providers that staff sign in through, by the names in their paths. */
@Injectable()
export class Idps {
  private readonly byName: ReadonlyMap<string, IdpEntry>;

  constructor(
    { idp }: SamlProperties,
    private readonly clock: Clock,
  ) {
    this.byName = new Map(
      Array.from(idp, ([name, properties]) => [name, { properties, known: begun(name, properties) }]),
    );
    for (const { properties, known } of this.byName.values()) {
      if (properties.metadata === undefined) this.learnByHand(properties, known);
    }
  }

  /** For what reads and reports on them. */
  get entries(): readonly IdpEntry[] {
    return [...this.byName.values()];
  }

  /** In the order of the configuration. */
  list(): readonly Pick<Idp, 'name' | 'displayName'>[] {
    return this.entries.map(({ known: { name, displayName } }) => ({ name, displayName }));
  }

  /** The one of a path. @throws ServiceError `NOT_FOUND` */
  named(name: string): Idp {
    const entry = this.byName.get(name);
    if (!entry) throw new ServiceError('NOT_FOUND');
    const { known, properties } = entry;
    return { name, displayName: known.displayName, properties, trust: () => this.trustOf(known) };
  }

  private trustOf(known: KnownIdp): IdpTrust {
    const found = known.trustAt(this.clock.millis());
    if (!('fault' in found)) return found;
    const reason = `identity provider ${known.name}: ${found.fault}`;
    throw new ServiceError('UNAVAILABLE', { retryAfterSeconds: RETRY_AFTER_SECONDS, reason });
  }

  private learnByHand(properties: IdpProperties, known: KnownIdp): void {
    const found = configuredTrust(properties);
    if ('fault' in found) known.fail(found.fault);
    else known.learn(found, this.clock.millis());
  }
}

function begun(name: string, { displayName = name }: IdpProperties): KnownIdp {
  return new KnownIdp(name, displayName);
}
