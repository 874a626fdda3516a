import type { Counter } from './meter.js';
import type { Meters } from './meters.js';

/** The state of an executor at one moment. */
export interface ExecutorReading {
  /** Tasks in progress. */
  readonly active: number;
  /** Tasks that wait for a place. */
  readonly queued: number;
  /** Places for tasks in progress. */
  readonly size: number;
}

/** Registers the meters of one executor (management API, 5.3) under the tag `name`; returns the counter of completed tasks. */
export function executorMeters(meters: Meters, name: string, read: () => ExecutorReading): Counter {
  const tags = { name };
  const facts = (description: string, baseUnit: string) => ({ description, baseUnit });
  meters.gauge('executor.active.threads', facts('Threads that work on a task', 'threads'), () => read().active, tags);
  meters.gauge('executor.queued.tasks', facts('Tasks that wait for a thread', 'tasks'), () => read().queued, tags);
  meters.gauge('executor.pool.size.threads', facts('Threads of the pool', 'threads'), () => read().size, tags);
  return meters.counter('executor.completed.tasks', facts('Completed tasks', 'tasks')).of(tags);
}
