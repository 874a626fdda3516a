import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import type { Meters } from './meters.js';

const KINDS: ReadonlyMap<unknown, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
]);

/** Times how long the process stood still for each kind of garbage collection; the answer ends it. */
export function timeGcPauses(meters: Meters, names: readonly string[]): () => void {
  const description = 'Time the process stood still to collect garbage';
  const families = names.map((name) => meters.timer(name, { description }));
  // Known from the start: a rate needs a first number.
  for (const family of families) for (const kind of ['minor', 'major']) family.of({ kind });
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { detail, duration } = entry as PerformanceEntry & { readonly detail?: { readonly kind: number } };
      const kind = KINDS.get(detail?.kind) ?? 'other';
      for (const family of families) family.of({ kind }).record(duration / 1000);
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  return () => observer.disconnect();
}
