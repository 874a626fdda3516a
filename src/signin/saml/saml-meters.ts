import type { Counter } from '../../observability/metrics/meter.js';
import type { Meters } from '../../observability/metrics/meters.js';
import { SAML_REJECTIONS } from '../../kernel/errors/reason.js';
import type { Clock } from '../../kernel/clock/clock.js';
import type { IdpMetadataCache } from './idp/idp-metadata-cache.js';

/** The outcomes of responses (docs/reference/metrics.md). */
const OUTCOMES = [...(['success', 'local'] as const), ...SAML_REJECTIONS];
type SamlOutcome = (typeof OUTCOMES)[number];

/** Counts responses of identity providers by outcome. */
export class SamlMeters {
  private readonly counters: ReadonlyMap<string, Readonly<Record<SamlOutcome, Counter>>>;

  /** `idps` are names. All series exist from the start, so that the first count is an increase. */
  constructor(meters: Meters, idps: readonly string[]) {
    const family = meters.counter('saml.responses', { description: 'Responses of identity providers, by outcome' });
    const ofIdp = (idp: string): Readonly<Record<SamlOutcome, Counter>> => {
      const all = OUTCOMES.map((outcome) => [outcome, family.of({ idp, outcome })] as const);
      return Object.fromEntries(all) as Record<SamlOutcome, Counter>;
    };
    this.counters = new Map(idps.map((idp) => [idp, ofIdp(idp)]));
  }

  count(idp: string, outcome: SamlOutcome): void {
    this.counters.get(idp)?.[outcome].increment();
  }
}

/** Measures the age of metadata and the remaining time of certificates. */
export class IdpMeters {
  constructor(
    private readonly meters: Meters,
    private readonly clock: Clock,
  ) {}

  /** The age of the metadata; NaN until it has been read. */
  watchAge(idp: IdpMetadataCache): void {
    const description = 'Time since the metadata of an identity provider was last read';
    const facts = { description, baseUnit: 'seconds' };
    const age = (): number => (idp.updatedAt === undefined ? NaN : (this.clock.millis() - idp.updatedAt) / 1000);
    this.meters.gauge('saml.metadata.age', facts, age, { idp: idp.name });
  }

  /** Measures the certificate that expires last: during a key rollover the old one may expire. */
  watchCertificates(idp: IdpMetadataCache): void {
    const description =
      'Time until the last signing certificate of an identity provider expires; negative after it has expired';
    const facts = { description, baseUnit: 'seconds' };
    const left = (): number => {
      const ends = idp.certificates.map(({ end }) => end);
      return ends.length === 0 ? NaN : (Math.max(...ends) - this.clock.millis()) / 1000;
    };
    this.meters.gauge('saml.certificate.expiry', facts, left, { idp: idp.name });
  }
}
