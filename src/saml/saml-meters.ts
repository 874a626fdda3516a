import type { Counter } from '../metrics/meter.js';
import type { Meters } from '../metrics/meters.js';
import { REJECTIONS } from './login/rejection.js';
import type { Clock } from '../clock/clock.js';
import type { IdpMetadataCache } from './idp/idp-metadata-cache.js';

/** How an answer of an identity provider ends (docs/operations.md). */
const OUTCOMES = [...(['success', 'local'] as const), ...REJECTIONS];
type SamlOutcome = (typeof OUTCOMES)[number];

/** Answers of identity providers, by what became of them. */
export class SamlMeters {
  private readonly counters: ReadonlyMap<string, Readonly<Record<SamlOutcome, Counter>>>;

  /** `idps` by their names: all series are there from the start, so that the first one is a rise. */
  constructor(meters: Meters, idps: readonly string[]) {
    const family = meters.counter('saml.responses', { description: 'Answers of identity providers' });
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
