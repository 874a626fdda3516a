import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../../test/support/programs/manual-clock.js';
import { AuditRateLimit } from './rejections.service.js';

const HERE = '192.0.2.1';
/** The records of one network in ten minutes. */
const MAX_RECORDED = 1000;

describe('AuditRateLimit', () => {
  const clock = new ManualClock();
  let rateLimit: AuditRateLimit;
  const exhaust = (address: string): void => {
    for (let count = 0; count < MAX_RECORDED; count += 1) rateLimit.take(address);
  };

  beforeEach(() => {
    rateLimit = new AuditRateLimit(clock);
  });

  it('allows a thousand records for one network, then reports the limit once', () => {
    for (let count = 0; count < MAX_RECORDED; count += 1) expect(rateLimit.take(HERE)).toBe('within');

    expect(rateLimit.take(HERE)).toBe('first');
    expect(rateLimit.take(HERE)).toBe('beyond');
  });

  it('allows records again as time passes', () => {
    exhaust(HERE);
    expect(rateLimit.take(HERE)).toBe('first');

    clock.advance(60);

    for (let count = 0; count < MAX_RECORDED / 10; count += 1) expect(rateLimit.take(HERE)).toBe('within');
    expect(rateLimit.take(HERE)).toBe('beyond');
  });

  it('reports the limit again after ten minutes', () => {
    exhaust(HERE);
    rateLimit.take(HERE);

    clock.advance(600);
    exhaust(HERE);

    expect(rateLimit.take(HERE)).toBe('first');
  });

  it('limits each network on its own, where a /64 is one network', () => {
    exhaust(HERE);
    exhaust('2001:db8::1');

    expect(rateLimit.take('192.0.2.2')).toBe('within');
    expect(rateLimit.take('2001:db8::ffff')).toBe('first');
  });

  it('does not become stricter when the clock is set back', () => {
    exhaust(HERE);

    clock.advance(-3600);
    expect(rateLimit.take(HERE)).toBe('first');
    clock.advance(600);

    expect(rateLimit.take(HERE)).toBe('within');
  });

  it('forgets the least recently used of more than 10,000 networks', () => {
    exhaust(HERE);
    for (let index = 0; index < 10_000; index += 1) rateLimit.take(`10.0.${index >> 8}.${index & 255}`);

    expect(rateLimit.take(HERE)).toBe('within');
  });
});
