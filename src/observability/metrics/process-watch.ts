import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { memoryUsage, uptime } from 'node:process';
import { getHeapStatistics } from 'node:v8';
import { type Clock, SystemClock } from '../../kernel/clock/clock.js';
import { EventLoopLag } from './event-loop-lag.js';
import { addMachineMeters } from './machine-meters.js';
import type { Meters } from './meters.js';

/** The JVM reports this value for a maximum that does not exist. */
const NO_LIMIT = -1;
const HEAP = { area: 'heap' };
const NON_HEAP = { area: 'nonheap' };
const GC_KINDS: ReadonlyMap<unknown, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
]);

export interface WatchOptions {
  /** True to record some meters under the names of the Java virtual machine as well. */
  readonly hasJvmNames?: boolean;
  readonly clock?: Clock;
}

/** Measures the process itself until it is stopped (management API, "Names the service records"). */
export class ProcessWatch {
  private readonly lag: EventLoopLag;
  private readonly endGcPauses: () => void;

  constructor(
    private readonly meters: Meters,
    { hasJvmNames = false, clock = new SystemClock() }: WatchOptions = {},
  ) {
    addMachineMeters(meters, clock);
    if (hasJvmNames) addJvmMemory(meters);
    this.lag = new EventLoopLag(clock);
    meters.timer('nodejs.eventloop.lag', { description: 'Delay of the event loop' }).set({}, this.lag);
    this.endGcPauses = timeGcPauses(meters, ['nodejs.gc.pause', ...(hasJvmNames ? ['jvm.gc.pause'] : [])]);
  }

  /** Records that all components are created. */
  started(): void {
    this.recordUptime(
      'application.started.time',
      'Time from the start of the process until all components were created',
    );
  }

  /** Records that the service accepts requests. */
  ready(): void {
    this.recordUptime('application.ready.time', 'Time from the start of the process until it accepted requests');
  }

  stop(): void {
    this.lag.stop();
    this.endGcPauses();
  }

  private recordUptime(name: string, description: string): void {
    const seconds = uptime();
    this.meters.gauge(name, { description, baseUnit: 'seconds' }, () => seconds);
  }
}

/** Adds memory under the names that consoles for Java virtual machines read (management API, "Clients"). */
function addJvmMemory(meters: Meters): void {
  const bytes = (description: string): { readonly description: string; readonly baseUnit: string } => ({
    description,
    baseUnit: 'bytes',
  });
  const used = bytes('Memory in use, as in nodejs.memory.used');
  meters.gauge('jvm.memory.used', used, () => memoryUsage().heapUsed, HEAP);
  meters.gauge('jvm.memory.used', used, () => memoryUsage().external, NON_HEAP);
  const committed = bytes('Memory that is reserved');
  meters.gauge('jvm.memory.committed', committed, () => memoryUsage().heapTotal, HEAP);
  meters.gauge('jvm.memory.committed', committed, () => memoryUsage().external, NON_HEAP);
  const max = bytes('Maximum memory that can be used; -1 without a limit');
  meters.gauge('jvm.memory.max', max, () => getHeapStatistics().heap_size_limit, HEAP);
  meters.gauge('jvm.memory.max', max, () => NO_LIMIT, NON_HEAP);
}

/** Times the pauses for each kind of garbage collection until the returned function is called. */
function timeGcPauses(meters: Meters, names: readonly string[]): () => void {
  const description = 'Pauses for garbage collection';
  const families = names.map((name) => meters.timer(name, { description }));
  // The series exist from the start, because a rate needs a first number.
  for (const family of families) for (const kind of ['minor', 'major']) family.of({ kind });
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { detail, duration } = entry as PerformanceEntry & { readonly detail?: { readonly kind: number } };
      const kind = GC_KINDS.get(detail?.kind) ?? 'other';
      for (const family of families) family.of({ kind }).record(duration / 1000);
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  return () => observer.disconnect();
}
