import { Clock } from '../kernel/clock/clock.js';
import { type TaskThread, TaskThreads } from '../platform/tasks/task-threads.js';
import { type WorkerThread, WorkerThreads } from '../platform/tasks/worker-threads.js';
import { JSON_TYPES } from './dispatch/negotiation.js';
import { ManagementEndpoint } from './dispatch/management-endpoint.decorator.js';
import type { Endpoint, Operation, Result } from './dispatch/operation.js';

const TEXT = 'text/plain';

/** `GET {management_base}/threaddump`: the threads of the process and the background tasks in progress, as JSON or as text. */
@ManagementEndpoint()
export class ThreadDumpEndpoint implements Endpoint {
  readonly id = 'threaddump';

  readonly operations: readonly Operation[] = [
    {
      method: 'GET',
      pathTemplate: '',
      produces: [...JSON_TYPES, TEXT],
      run: ({ mediaType }) => this.dump(mediaType === TEXT),
    },
  ];

  constructor(
    private readonly workers: WorkerThreads,
    private readonly tasks: TaskThreads,
    private readonly clock: Clock,
  ) {}

  /** The name of each thread and of each background task in progress, with its id. */
  get names(): readonly string[] {
    return this.threads.map(({ threadName, threadId }) => `"${threadName}" #${threadId}`);
  }

  private get threads(): readonly ThreadView[] {
    return describeThreads(this.workers.all, this.tasks.all);
  }

  private dump(isText: boolean): Result {
    return { body: isText ? formatThreads(this.threads, this.clock.millis()) : { threads: this.threads } };
  }
}

/** The default priority of a thread in Java, which ranges from 1 to 10. */
const DEFAULT_PRIORITY = 5;

/** Members that consoles expect and only a JVM can measure: Node measures none of them, and its threads share no locks. */
const UNKNOWN_TO_NODE = {
  ...{ blockedTime: -1, blockedCount: 0, waitedTime: -1, waitedCount: 0 },
  ...{ inNative: false, suspended: false, threadState: 'RUNNABLE', stackTrace: [] },
  ...{ lockedMonitors: [], lockedSynchronizers: [], lockOwnerId: -1, priority: DEFAULT_PRIORITY },
} as const;

interface ThreadView {
  readonly threadName: string;
  readonly threadId: number;
  readonly daemon: boolean;
}

const MAIN: WorkerThread = { id: 0, name: 'main' };

/**
 * The event loop, each worker, and each background task in progress, which the log names like a thread (management API,
 * "threaddump").
 */
function describeThreads(workers: readonly WorkerThread[], tasks: readonly TaskThread[]): readonly ThreadView[] {
  return [MAIN, ...workers, ...tasks].map(({ id, name }) => ({
    threadName: name,
    threadId: id,
    // Workers and tasks do not keep the process alive.
    daemon: id !== MAIN.id,
    ...UNKNOWN_TO_NODE,
  }));
}

/** The thread dump as plain text. */
function formatThreads(threads: readonly ThreadView[], atMillis: number): string {
  const heading = `${new Date(atMillis).toISOString()}\nThreads of Node.js ${process.version}:\n`;
  const lines = threads.map(({ threadName, threadId, daemon }) => {
    const kind = daemon ? ' daemon' : '';
    return `\n"${threadName}" #${threadId}${kind}\n   state: ${UNKNOWN_TO_NODE.threadState}\n`;
  });
  return [heading, ...lines].join('');
}
