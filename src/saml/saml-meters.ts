import type { Counter } from '../metrics/meter.js';
import type { Meters } from '../metrics/meters.js';
import { REJECTIONS } from './login/rejection.js';

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
