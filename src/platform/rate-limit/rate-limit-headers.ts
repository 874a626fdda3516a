import type { LimitVerdict } from './sliding-window.js';

/** A limit that applies to a request, by the name that callers see. */
export interface Policy {
  readonly name: string;
  readonly quota: number;
  readonly windowSeconds: number;
}

/** The headers of draft-ietf-httpapi-ratelimit-headers, as lists of structured fields (RFC 9651). */
export function rateLimitHeaders(
  applied: readonly { readonly policy: Policy; readonly verdict: LimitVerdict }[],
): Readonly<Record<'ratelimit-policy' | 'ratelimit', string>> {
  return {
    'ratelimit-policy': applied
      .map(({ policy: { name, quota, windowSeconds } }) => `"${name}";q=${quota};w=${windowSeconds}`)
      .join(', '),
    ratelimit: applied
      .map(({ policy: { name }, verdict }) => `"${name}";r=${verdict.remaining};t=${seconds(waitOf(verdict))}`)
      .join(', '),
  };
}

/** Milliseconds until more units are free. */
function waitOf({ remaining, retryMillis, resetMillis }: LimitVerdict): number {
  return remaining > 0 ? resetMillis : retryMillis;
}

/** Whole seconds, at least one. */
export function seconds(millis: number): number {
  return Math.max(1, Math.ceil(millis / 1000));
}
