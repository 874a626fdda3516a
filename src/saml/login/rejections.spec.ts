import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { MAX_RECORDED, AuditRateLimit } from './rejections.service.js';

const HERE = '192.0.2.1';

describe('refused messages of one network', () => {
  const clock = new ManualClock();
  let budget: AuditRateLimit;
  const spend = (address: string): void => {
    for (let count = 0; count < MAX_RECORDED; count += 1) budget.take(address);
  };

  beforeEach(() => {
    budget = new AuditRateLimit(clock);
  });

  it('are recorded up to a number, and it is said once that no more are', () => {
    for (let count = 0; count < MAX_RECORDED; count += 1) expect(budget.take(HERE)).toBe('within');

    expect(budget.take(HERE)).toBe('first');
    expect(budget.take(HERE)).toBe('beyond');
  });

  it('are recorded again little by little', () => {
    spend(HERE);
    expect(budget.take(HERE)).toBe('first');

    clock.advance(60);

    for (let count = 0; count < MAX_RECORDED / 10; count += 1) expect(budget.take(HERE)).toBe('within');
    expect(budget.take(HERE)).toBe('beyond');
  });

  it('are said again to be too many when time has passed', () => {
    spend(HERE);
    budget.take(HERE);

    clock.advance(600);
    spend(HERE);

    expect(budget.take(HERE)).toBe('first');
  });

  it('take nothing from another network, and a /64 is one', () => {
    spend(HERE);
    spend('2001:db8::1');

    expect(budget.take('192.0.2.2')).toBe('within');
    expect(budget.take('2001:db8::ffff')).toBe('first');
  });

  it('are not counted for longer by a clock that was set back', () => {
    spend(HERE);

    clock.advance(-3600);
    expect(budget.take(HERE)).toBe('first');
    clock.advance(600);

    expect(budget.take(HERE)).toBe('within');
  });

  it('of very many networks are forgotten, the oldest first', () => {
    spend(HERE);
    for (let index = 0; index < 10_000; index += 1) budget.take(`10.0.${index >> 8}.${index & 255}`);

    expect(budget.take(HERE)).toBe('within');
  });
});
