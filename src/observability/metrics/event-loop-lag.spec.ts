import { expect, it, onTestFinished } from 'vitest';
import { ManualClock } from '../../../test/support/programs/manual-clock.js';
import { waitUntil } from '../../../test/support/runner/wait-until.js';
import { EventLoopLag } from './event-loop-lag.js';
import type { Statistic } from './meter.js';

const STOP_MILLIS = 300;

function started(clock = new ManualClock()): EventLoopLag {
  const lag = new EventLoopLag(clock);
  onTestFinished(() => lag.stop());
  return lag;
}

function number(lag: EventLoopLag, statistic: Statistic): number {
  return lag.measure().find((measured) => measured.statistic === statistic)?.value ?? NaN;
}

/** Blocks the event loop while Node samples it, and waits until the delay is measured. */
async function stopTheLoop(lag: EventLoopLag): Promise<void> {
  const before = number(lag, 'COUNT');
  await waitUntil('the loop is looked at', () => number(lag, 'COUNT') > before);
  const end = performance.now() + STOP_MILLIS;
  while (performance.now() < end);
  await waitUntil('the stop has been seen', () => number(lag, 'MAX') > 0.2);
}

it('the event loop lag is as long as the loop was blocked', async () => {
  const lag = started();
  await stopTheLoop(lag);
  expect(number(lag, 'TOTAL_TIME')).toBeGreaterThan(0.2);
});

it('the event loop lag excludes the sampling interval', async () => {
  const clock = new ManualClock();
  const lag = started(clock);
  const look = (): number | null => {
    const largest = number(lag, 'COUNT') > 0 ? number(lag, 'MAX') : null;
    lag.fold();
    clock.advance(180);
    return largest !== null && largest < 0.025 ? largest : null;
  };
  const largest = await waitUntil('a look at the loop shows next to no lag', look, { everyMillis: 120 });
  expect(largest).toBeGreaterThanOrEqual(0);
});

it('the event loop lag keeps count and total when the histogram is reset, and only the maximum expires', async () => {
  const clock = new ManualClock();
  const lag = started(clock);
  await stopTheLoop(lag);
  const total = number(lag, 'TOTAL_TIME');
  const count = number(lag, 'COUNT');
  lag.fold();
  expect(number(lag, 'COUNT')).toBe(count);
  expect(number(lag, 'TOTAL_TIME')).toBe(total);
  expect(number(lag, 'MAX')).toBeGreaterThan(0.2);
  clock.advance(180);
  expect(number(lag, 'MAX')).toBe(0);
});

it('the event loop lag is 0 without a sample', () => {
  const lag = started();
  lag.fold();
  expect(lag.measure().map(({ value }) => value)).toEqual([0, 0, 0]);
});

it('the total of the event loop lag never decreases, even if a sample is early', () => {
  const recent = { count: 1, mean: 80e6, max: 80e6, enable: () => true, disable: () => true, reset: () => undefined };
  const lag = new EventLoopLag(new ManualClock(), recent);
  onTestFinished(() => lag.stop());
  const late = number(lag, 'TOTAL_TIME');
  Object.assign(recent, { count: 2, mean: 50e6 });

  const early = number(lag, 'TOTAL_TIME');
  lag.fold();
  Object.assign(recent, { count: 0, mean: NaN, max: 0 });

  expect([late, early, number(lag, 'TOTAL_TIME')]).toEqual(Array(3).fill(expect.closeTo(0.03)));
});
