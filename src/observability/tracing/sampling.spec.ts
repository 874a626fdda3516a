import { ROOT_CONTEXT, SpanKind, trace, TraceFlags } from '@opentelemetry/api';
import { SamplingDecision } from '@opentelemetry/sdk-trace';
import { describe, expect, it } from 'vitest';
import { samplerOf, type SamplingSettings } from './sampling.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';

interface Parent {
  readonly isSampled: boolean;
  readonly isRemote: boolean;
}

function isSampled(settings: SamplingSettings, fraction: number, parent?: Parent): boolean {
  const context = parent
    ? trace.setSpanContext(ROOT_CONTEXT, {
        traceId: TRACE,
        spanId: 'b7ad6b7169203331',
        traceFlags: parent.isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
        isRemote: parent.isRemote,
      })
    : ROOT_CONTEXT;
  const sampler = samplerOf(settings, () => fraction);
  const { decision } = sampler.shouldSample(context, TRACE, 'GET /me', SpanKind.SERVER, {}, []);
  return decision === SamplingDecision.RECORD_AND_SAMPLED;
}

const [OWN, CALLER] = ['trace-id-ratio', 'parent-based-trace-id-ratio'] as const;

describe('the sampler', () => {
  it.each([
    [0.1, 0.0999, true],
    [0.1, 0.1, false],
    [0, 0, false],
    [1, 0.9999, true],
  ])('exports a new trace with probability %d and the random number %d: %s', (probability, fraction, expected) => {
    expect(isSampled({ sampler: OWN, probability }, fraction)).toBe(expected);
    expect(isSampled({ sampler: CALLER, probability }, fraction)).toBe(expected);
  });

  it.each([
    [OWN, true, false],
    [OWN, false, false],
    [CALLER, true, true],
    [CALLER, false, false],
  ])('%s with the probability 0 and the flag %s of a caller exports: %s', (sampler, flag, expected) => {
    expect(isSampled({ sampler, probability: 0 }, 0, { isSampled: flag, isRemote: true })).toBe(expected);
  });

  it.each([true, false])('an operation within a request is exported as the request is: %s', (flag) => {
    expect(isSampled({ sampler: OWN, probability: 0.5 }, 0.7, { isSampled: flag, isRemote: false })).toBe(flag);
    expect(isSampled({ sampler: OWN, probability: 0.5 }, 0.2, { isSampled: flag, isRemote: false })).toBe(flag);
  });
});
