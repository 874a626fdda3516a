import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/programs/manual-clock.js';
import { Counter, Gauge, LongTaskTimer, type Meter, type Statistic, Summary, Timer } from './meter.js';

function numbers(meter: Meter): Partial<Record<Statistic, number>> {
  return Object.fromEntries(meter.measure().map(({ statistic, value }) => [statistic, value]));
}

describe('a counter', () => {
  it('adds up increments', () => {
    const counter = new Counter();
    counter.increment();
    counter.increment(2.5);
    expect(numbers(counter)).toEqual({ COUNT: 3.5 });
  });

  it.each([-1, 0, NaN, Infinity, -Infinity])('ignores an increment by %d', (by) => {
    const counter = new Counter();
    counter.increment(by);
    expect(numbers(counter)).toEqual({ COUNT: 0 });
  });
});

describe('a gauge', () => {
  it('is read at each measurement', () => {
    let size = 1;
    const gauge = new Gauge(() => size);
    expect(numbers(gauge)).toEqual({ VALUE: 1 });
    size = 7;
    expect(numbers(gauge)).toEqual({ VALUE: 7 });
  });

  it('is NaN if reading it fails', () => {
    const gauge = new Gauge(() => {
      throw new Error('gone');
    });
    expect(numbers(gauge)).toEqual({ VALUE: NaN });
  });
});

describe('a summary', () => {
  it('has count, total and maximum, also for negative numbers', () => {
    const summary = new Summary(new ManualClock());
    for (const amount of [-1, 0, 1, 1]) summary.record(amount);
    expect(numbers(summary)).toEqual({ COUNT: 4, TOTAL: 1, MAX: 1 });
  });

  it.each([NaN, Infinity, -Infinity])('ignores %d', (amount) => {
    const summary = new Summary(new ManualClock(), [1]);
    summary.record(amount);
    expect(numbers(summary)).toEqual({ COUNT: 0, TOTAL: 0, MAX: 0 });
    expect(summary.buckets).toEqual([{ upTo: 1, count: 0 }]);
  });

  it('counts a number in every bucket whose bound is not below it', () => {
    const summary = new Summary(new ManualClock(), [-1, 0, 1]);
    for (const amount of [-1, 0, 0, 1, 5]) summary.record(amount);
    expect(summary.buckets).toEqual([
      { upTo: -1, count: 1 },
      { upTo: 0, count: 3 },
      { upTo: 1, count: 4 },
    ]);
  });

  it('has no buckets by default', () => {
    const summary = new Summary(new ManualClock());
    summary.record(1);
    expect(summary.buckets).toEqual([]);
  });
});

describe('a timer', () => {
  it('adds up seconds and drops the maximum after a while', () => {
    const clock = new ManualClock();
    const timer = new Timer(clock);
    timer.record(0.25);
    timer.record(0.5);
    expect(numbers(timer)).toEqual({ COUNT: 2, TOTAL_TIME: 0.75, MAX: 0.5 });
    clock.advance(180);
    expect(numbers(timer)).toEqual({ COUNT: 2, TOTAL_TIME: 0.75, MAX: 0 });
  });

  it('counts a negative time as 0', () => {
    const timer = new Timer(new ManualClock(), [0.1]);
    timer.record(-3);
    expect(numbers(timer)).toEqual({ COUNT: 1, TOTAL_TIME: 0, MAX: 0 });
    expect(timer.buckets).toEqual([{ upTo: 0.1, count: 1 }]);
  });

  it('ignores NaN', () => {
    const timer = new Timer(new ManualClock());
    timer.record(NaN);
    expect(numbers(timer)).toEqual({ COUNT: 0, TOTAL_TIME: 0, MAX: 0 });
  });
});

describe('a long task timer', () => {
  it('M2: reports the number of active tasks, their total and their longest time', () => {
    const clock = new ManualClock();
    const timer = new LongTaskTimer(clock);
    const endFirst = timer.start();
    clock.advance(10);
    timer.start();
    clock.advance(5);
    expect(numbers(timer)).toEqual({ ACTIVE_TASKS: 2, DURATION: 20, MAX: 15 });
    endFirst();
    expect(numbers(timer)).toEqual({ ACTIVE_TASKS: 1, DURATION: 5, MAX: 5 });
  });

  it('ends a task only once', () => {
    const timer = new LongTaskTimer(new ManualClock());
    timer.start();
    const end = timer.start();
    end();
    end();
    expect(numbers(timer)).toEqual({ ACTIVE_TASKS: 1, DURATION: 0, MAX: 0 });
  });

  it('reports no negative time if the clock is set back', () => {
    const clock = new ManualClock();
    const timer = new LongTaskTimer(clock);
    const end = timer.start();
    clock.advance(-60);
    expect(numbers(timer)).toEqual({ ACTIVE_TASKS: 1, DURATION: 0, MAX: 0 });
    end();
    expect(numbers(timer)).toEqual({ ACTIVE_TASKS: 0, DURATION: 0, MAX: 0 });
  });
});
