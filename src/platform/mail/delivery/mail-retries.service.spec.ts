import { describe, expect, it } from 'vitest';
import { SystemRandom } from '../../../kernel/random/random.js';
import { Duration } from '../../../config/bind/duration.js';
import { MailRetryProperties } from '../mail.properties.js';
import { MailRetries } from './mail-retries.service.js';

const delays = { firstDelay: Duration.ofMillis(10_000), maxDelay: Duration.ofMillis(900_000) };
const retries = new MailRetries(Object.assign(new MailRetryProperties(), delays), new SystemRandom());

describe('Delays of mails', () => {
  it.each([
    [1, 10_000],
    [2, 20_000],
    [7, 640_000],
    [8, 900_000],
    [5000, 900_000],
  ])('attempt %i is followed by at most %i ms, and at least three quarters of that', (attempts, maxMillis) => {
    for (let draw = 0; draw < 50; draw += 1) {
      const delay = retries.delayAfter(attempts);
      expect(delay).toBeLessThanOrEqual(maxMillis);
      expect(delay).toBeGreaterThanOrEqual(0.75 * maxMillis);
    }
  });

  it('a relay that fails pauses all mails for 30 seconds at most', () => {
    expect([1, 2, 3, 100].map((failures) => retries.pauseAfter(failures))).toEqual([10_000, 20_000, 30_000, 30_000]);
  });
});
