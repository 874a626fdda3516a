import { Loggers } from '../../../src/observability/logging/loggers.js';
import { Meters } from '../../../src/observability/metrics/meters.js';
import { type ExecutionLimits, TaskExecutor } from '../../../src/platform/tasks/task-executor.js';
import { TaskThreads } from '../../../src/platform/tasks/task-threads.js';

/** An executor with the limits of the packaged configuration, where none is given. */
export function taskExecutor(
  meters = new Meters(),
  loggers = new Loggers(),
  limits: Partial<ExecutionLimits> = {},
): TaskExecutor {
  const packaged = { coreSize: 8, maxSize: 16, queueCapacity: 100, threadNamePrefix: 'async-' };
  return new TaskExecutor({ ...packaged, ...limits }, new TaskThreads(), meters, loggers);
}
