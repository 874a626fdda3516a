import type { WorkerThread } from '../tasks/worker-threads.js';

/** A thread as the wire has it; what Node does not measure is -1, 0 or empty. */
export interface ThreadView {
  readonly threadName: string;
  readonly threadId: number;
  readonly blockedTime: number;
  readonly blockedCount: number;
  readonly waitedTime: number;
  readonly waitedCount: number;
  readonly daemon: boolean;
  readonly inNative: boolean;
  readonly suspended: boolean;
  /** That it is alive: Node does not tell whether one is at work or waits for it. */
  readonly threadState: 'RUNNABLE';
  readonly stackTrace: readonly never[];
  readonly lockedMonitors: readonly never[];
  readonly lockedSynchronizers: readonly never[];
  /** No thread waits for a lock of another one. */
  readonly lockOwnerId: -1;
  readonly priority: number;
}

/** The usual priority of a thread in Java, from 1 to 10. */
const USUAL_PRIORITY = 5;

const MAIN: WorkerThread = { id: 0, name: 'main' };

/** The event loop and each worker (management API, "threaddump"). */
export function describeThreads(workers: readonly WorkerThread[]): readonly ThreadView[] {
  return [MAIN, ...workers].map(({ id, name }) => ({
    threadName: name,
    threadId: id,
    blockedTime: -1,
    blockedCount: 0,
    waitedTime: -1,
    waitedCount: 0,
    // The process ends with its event loop, whatever its workers do.
    daemon: id !== MAIN.id,
    inNative: false,
    suspended: false,
    threadState: 'RUNNABLE',
    stackTrace: [],
    lockedMonitors: [],
    lockedSynchronizers: [],
    lockOwnerId: -1,
    priority: USUAL_PRIORITY,
  }));
}

/** The same for people. */
export function formatThreads(threads: readonly ThreadView[], atMillis: number): string {
  const heading = `${new Date(atMillis).toISOString()}\nThreads of Node.js ${process.version}:\n`;
  const lines = threads.map(({ threadName, threadId, daemon, threadState }) => {
    const kind = daemon ? ' daemon' : '';
    return `\n"${threadName}" #${threadId}${kind}\n   state: ${threadState}\n`;
  });
  return [heading, ...lines].join('');
}
