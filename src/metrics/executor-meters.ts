import type { Counter } from './meter.js';
import type { Meters } from './meters.js';

/** What a pool of workers does at one moment. */
export interface ExecutorState {
  readonly active: number;
  readonly queued: number;
  readonly workers: number;
}

/** Registers the meters of one pool of workers (management API, 5.3); returns the counter of completed tasks. */
export function watchExecutor(meters: Meters, name: string, state: () => ExecutorState): Counter {
  const tags = { name };
  const active = { description: 'Threads that work on a task', baseUnit: 'threads' };
  meters.gauge('executor.active.threads', active, () => state().active, tags);
  const queued = { description: 'Tasks that wait for a thread', baseUnit: 'tasks' };
  meters.gauge('executor.queued.tasks', queued, () => state().queued, tags);
  const size = { description: 'Threads of the pool', baseUnit: 'threads' };
  meters.gauge('executor.pool.size.threads', size, () => state().workers, tags);
  const completed = { description: 'Completed tasks', baseUnit: 'tasks' };
  return meters.counter('executor.completed.tasks', completed).of(tags);
}
