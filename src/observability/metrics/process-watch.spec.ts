import { describe, expect, it, onTestFinished } from 'vitest';
import { waitUntil } from '../../../test/support/runner/wait-until.js';
import { Meters } from './meters.js';
import { ProcessWatch, type WatchOptions } from './process-watch.js';

/** The meters of this process, watched until the end of the test. */
function watched(options?: WatchOptions): { readonly meters: Meters; readonly watch: ProcessWatch } {
  const meters = new Meters();
  const watch = new ProcessWatch(meters, options);
  onTestFinished(() => watch.stop());
  return { meters, watch };
}

/** One measured number; NaN if it does not exist. */
function number(meters: Meters, name: string, statistic = 'VALUE', ...values: readonly string[]): number {
  const series = meters.find(name)?.series.find(({ tags }) => values.every((one) => Object.values(tags).includes(one)));
  return series?.meter.measure().find((measured) => measured.statistic === statistic)?.value ?? NaN;
}

/** Fills the memory until garbage is collected. Returns its kind, which depends on what ran in this process before. */
function collected(meters: Meters, name: string): Promise<string> {
  return waitUntil('garbage was collected', () => {
    Array.from({ length: 100_000 }, (_, at) => ({ at, list: [at] }));
    return ['minor', 'major'].find((kind) => number(meters, name, 'COUNT', kind) > 0);
  });
}

describe('process metrics', () => {
  it('report used and available memory, disk and processors', () => {
    const { meters } = watched();
    expect(number(meters, 'process.uptime')).toBeGreaterThan(0);
    expect(number(meters, 'system.cpu.count')).toBeGreaterThanOrEqual(1);
    for (const area of ['heap', 'rss']) {
      const used = number(meters, 'nodejs.memory.used', 'VALUE', area);
      expect(used, area).toBeGreaterThan(0);
      expect(used, area).toBeLessThan(number(meters, 'nodejs.memory.max', 'VALUE', area));
    }
    expect(number(meters, 'nodejs.memory.used', 'VALUE', 'external')).toBeGreaterThan(0);
    expect(number(meters, 'disk.free', 'VALUE', process.cwd())).toBeLessThan(number(meters, 'disk.total'));
  });

  it('report processor usage between 0 and 1', () => {
    const { meters } = watched();
    for (const name of ['process.cpu.usage', 'system.cpu.usage']) {
      expect(number(meters, name), name).toBeGreaterThanOrEqual(0);
      expect(number(meters, name), name).toBeLessThanOrEqual(1);
    }
  });

  it('report the start time of the process', () => {
    const began = number(watched().meters, 'process.start.time');
    expect(Math.abs(began - performance.timeOrigin / 1000)).toBeLessThan(60);
  });

  it.runIf(process.platform === 'linux')('report fewer open files than the limit', () => {
    const { meters } = watched();
    expect(number(meters, 'process.files.open.files')).toBeGreaterThan(2);
    expect(number(meters, 'process.files.open.files')).toBeLessThan(number(meters, 'process.files.max.files'));
  });

  it('report the startup time only after startup', () => {
    const { meters, watch } = watched();
    expect(meters.find('application.started.time')).toBeUndefined();
    watch.started();
    watch.ready();
    const started = number(meters, 'application.started.time');
    expect(started).toBeGreaterThan(0);
    expect(number(meters, 'application.ready.time')).toBeGreaterThanOrEqual(started);
  });
});

it('process metrics measure the lag of the event loop', async () => {
  const { meters } = watched();
  await waitUntil('the loop has been looked at', () => number(meters, 'nodejs.eventloop.lag', 'COUNT') > 0);
  expect(number(meters, 'nodejs.eventloop.lag', 'MAX')).toBeGreaterThanOrEqual(0);
});

describe('garbage collection metrics', () => {
  it('exist from the start', () => {
    const { meters } = watched();
    for (const kind of ['minor', 'major']) expect(number(meters, 'nodejs.gc.pause', 'COUNT', kind), kind).toBe(0);
  });

  it('time the pauses by kind', async () => {
    const { meters } = watched();
    const kind = await collected(meters, 'nodejs.gc.pause');
    expect(number(meters, 'nodejs.gc.pause', 'TOTAL_TIME', kind)).toBeGreaterThan(0);
  });
});

describe('JVM metric names', () => {
  it('are absent by default', () => {
    const names = [...watched().meters.families].map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('jvm.'))).toEqual([]);
  });

  it('report the same memory and garbage collection as the Node names', async () => {
    const { meters } = watched({ hasJvmNames: true });
    const heap = (name: string): number => number(meters, `jvm.memory.${name}`, 'VALUE', 'heap');
    expect(heap('used')).toBeLessThanOrEqual(heap('committed'));
    expect(heap('committed')).toBeLessThanOrEqual(heap('max'));
    expect(number(meters, 'jvm.memory.used', 'VALUE', 'nonheap')).toBeGreaterThan(0);
    expect(number(meters, 'jvm.memory.max', 'VALUE', 'nonheap')).toBe(-1);
    const kind = await collected(meters, 'jvm.gc.pause');
    expect(number(meters, 'jvm.gc.pause', 'COUNT', kind)).toBe(number(meters, 'nodejs.gc.pause', 'COUNT', kind));
  });
});
