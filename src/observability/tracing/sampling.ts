import { ParentBasedSampler, type Sampler, SamplingDecision, type SamplingResult } from '@opentelemetry/sdk-trace';

export interface SamplingSettings {
  /** Whether this service or, with `parent-based-…`, the caller decides about a trace that the caller began. */
  readonly sampler: 'trace-id-ratio' | 'parent-based-trace-id-ratio';
  /** Share of the traces that are exported, from 0 to 1. */
  readonly probability: number;
}

/**
 * Spans within the service follow the request. The id of a trace comes from the caller and can be chosen so that a ratio of
 * ids accepts it, so a number of our own decides in its place.
 */
export function samplerOf({ sampler, probability }: SamplingSettings, fraction: () => number): Sampler {
  const root = new ChanceSampler(probability, fraction);
  if (sampler === 'parent-based-trace-id-ratio') return new ParentBasedSampler({ root });
  return new ParentBasedSampler({ root, remoteParentSampled: root, remoteParentNotSampled: root });
}

class ChanceSampler implements Sampler {
  constructor(
    private readonly probability: number,
    private readonly fraction: () => number,
  ) {}

  shouldSample(): SamplingResult {
    const isSampled = this.fraction() < this.probability;
    return { decision: isSampled ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD };
  }

  toString(): string {
    return `ChanceSampler{${this.probability}}`;
  }
}
