import { expect, it } from 'vitest';
import { rateLimitHeaders } from './rate-limit-headers.js';

it('the headers are lists of structured fields, with a wait instead of the end of the window once no unit is left', () => {
  const policy = (name: string) => ({ name, quota: 60, windowSeconds: 60 });
  const verdict = { admitted: 1, remaining: 3, resetMillis: 41_200, retryMillis: 0 };

  const headers = rateLimitHeaders([
    { policy: policy('sso-address'), verdict },
    { policy: policy('sso-id'), verdict: { ...verdict, remaining: 0, retryMillis: 900 } },
  ]);

  expect(headers).toEqual({
    'ratelimit-policy': '"sso-address";q=60;w=60, "sso-id";q=60;w=60',
    ratelimit: '"sso-address";r=3;t=42, "sso-id";r=0;t=1',
  });
});
