import type { Counter } from './meter.js';
import type { Meters } from './meters.js';

/** What a pool of workers does at one moment. */
export interface ExecutorState {
  readonly active: number;
  readonly queued: number;
  readonly workers: number;
}

/** Meters of one pool of workers (management API, 5.3); answers what counts the tasks it has done. */
export function watchExecutor(meters: Meters, name: string, state: () => ExecutorState): Counter {
  const tags = { name };
  meters.gauge('executor.active', { description: 'Tasks that are worked on' }, () => state().active, tags);
  meters.gauge('executor.queued', { description: 'Tasks that wait for a worker' }, () => state().queued, tags);
  meters.gauge('executor.pool.size', { description: 'Workers' }, () => state().workers, tags);
  return meters.counter('executor.completed', { description: 'Tasks that are done' }).of(tags);
}
