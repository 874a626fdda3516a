import { describe, expect, it, onTestFinished } from 'vitest';
import { waitUntil } from '../../test/support/wait-until.js';
import { mostFiles } from './machine-meters.js';
import { Meters } from './meters.js';
import { ProcessWatch, type WatchOptions } from './process-watch.js';

/** The meters of this process, watched until the end of the test. */
function watched(options?: WatchOptions): { readonly meters: Meters; readonly watch: ProcessWatch } {
  const meters = new Meters();
  const watch = new ProcessWatch(meters, options);
  onTestFinished(() => watch.stop());
  return { meters, watch };
}

/** One number; NaN where there is none. */
function number(meters: Meters, name: string, statistic = 'VALUE', ...values: readonly string[]): number {
  const series = meters.find(name)?.series.find(({ tags }) => values.every((one) => Object.values(tags).includes(one)));
  return series?.meter.measure().find((measured) => measured.statistic === statistic)?.value ?? NaN;
}

describe('the watch of the process', () => {
  it('knows what the process takes and what there is', () => {
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

  it('tells shares of the processors between 0 and 1', () => {
    const { meters } = watched();
    for (const name of ['process.cpu.usage', 'system.cpu.usage']) {
      expect(number(meters, name), name).toBeGreaterThanOrEqual(0);
      expect(number(meters, name), name).toBeLessThanOrEqual(1);
    }
  });

  it('knows when the process began', () => {
    const began = number(watched().meters, 'process.start.time');
    expect(Math.abs(began - performance.timeOrigin / 1000)).toBeLessThan(60);
  });

  it.runIf(process.platform === 'linux')('counts open files, of which there are fewer than there may be', () => {
    const { meters } = watched();
    expect(number(meters, 'process.files.open.files')).toBeGreaterThan(2);
    expect(number(meters, 'process.files.open.files')).toBeLessThan(number(meters, 'process.files.max.files'));
  });

  it('does not know how long the start took before it is over', () => {
    const { meters, watch } = watched();
    expect(meters.find('application.started.time')).toBeUndefined();
    watch.started();
    watch.ready();
    const started = number(meters, 'application.started.time');
    expect(started).toBeGreaterThan(0);
    expect(number(meters, 'application.ready.time')).toBeGreaterThanOrEqual(started);
  });
});

it('measures the lag of the event loop', async () => {
  const { meters } = watched();
  await waitUntil('the loop has been looked at', () => number(meters, 'nodejs.eventloop.lag', 'COUNT') > 0);
  expect(number(meters, 'nodejs.eventloop.lag', 'MAX')).toBeGreaterThanOrEqual(0);
});

describe('the pauses for garbage', () => {
  it('are there from the start', () => {
    const { meters } = watched();
    for (const kind of ['minor', 'major']) expect(number(meters, 'nodejs.gc.pause', 'COUNT', kind), kind).toBe(0);
  });

  it('are timed by kind', async () => {
    const { meters } = watched();
    await waitUntil('garbage was collected', () => {
      Array.from({ length: 100_000 }, (_, at) => ({ at, list: [at] }));
      return number(meters, 'nodejs.gc.pause', 'COUNT', 'minor') > 0;
    });
    expect(number(meters, 'nodejs.gc.pause', 'TOTAL_TIME', 'minor')).toBeGreaterThan(0);
  });
});

describe('the names of the Java virtual machine', () => {
  it('are not there unless asked for', () => {
    const names = [...watched().meters.families].map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('jvm.'))).toEqual([]);
  });

  it('say of memory and garbage what our own names say', async () => {
    const { meters } = watched({ hasJvmNames: true });
    const heap = (name: string): number => number(meters, `jvm.memory.${name}`, 'VALUE', 'heap');
    expect(heap('used')).toBeLessThanOrEqual(heap('committed'));
    expect(heap('committed')).toBeLessThanOrEqual(heap('max'));
    expect(number(meters, 'jvm.memory.used', 'VALUE', 'nonheap')).toBeGreaterThan(0);
    expect(number(meters, 'jvm.memory.max', 'VALUE', 'nonheap')).toBe(-1);
    await waitUntil('garbage was collected', () => {
      Array.from({ length: 100_000 }, (_, at) => ({ at, list: [at] }));
      return number(meters, 'jvm.gc.pause', 'COUNT', 'minor') > 0;
    });
    const ours = number(meters, 'nodejs.gc.pause', 'COUNT', 'minor');
    expect(number(meters, 'jvm.gc.pause', 'COUNT', 'minor')).toBe(ours);
  });
});

describe('the most open files', () => {
  const head = 'Limit                     Soft Limit           Hard Limit           Units     \n';

  it.each([
    [`${head}Max open files            1024                 524288               files     \n`, 1024],
    [`${head}Max open files            unlimited            unlimited            files     \n`, Infinity],
    [head, NaN],
  ])('of %j are %d', (limits, most) => {
    expect(mostFiles(limits)).toBe(most);
  });
});
