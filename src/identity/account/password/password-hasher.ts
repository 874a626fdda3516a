import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Piscina } from 'piscina';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { requestContext } from '../../../kernel/principal/request-context.js';
import { Meters } from '../../../observability/metrics/meters.js';
import type { Random } from '../../../kernel/random/random.js';
import { inSpan } from '../../../observability/tracing/span.js';
import {
  decoyHash,
  type HashCost,
  isOutdated,
  parsePasswordHash,
  type PasswordHash,
  readsWhole,
} from './password-hash.js';
import { HashTimes } from './hash-times.js';
import { normalForm } from './password-rules.js';
import { HashMeters } from './hash-meters.js';
import type { PasswordResult, PasswordTask } from './password-worker.js';

/** Number of idle workers that are kept; a module of a higher rank provides it, since it is a key of the HTTP host. */
export class SpareWorkers {
  constructor(readonly count: number) {}
}

export interface HasherOptions {
  readonly cost: HashCost;
  /** Maximum number of concurrent hashes; never more than the cores. */
  readonly concurrency: number;
  /** Idle workers that are kept. */
  readonly spare: number;
  /** Passwords that may wait for a worker; the next one is rejected. */
  readonly queueCapacity: number;
}

const WORKER = fileURLToPath(new URL(`./password-worker${extname(import.meta.url)}`, import.meta.url));
const IDLE_MILLIS = 60_000;
const SALT_BYTES = 16;
/** The password that a worker is hashing, and its next one. */
const TASKS_PER_WORKER = 2;

type PoolOptions = NonNullable<ConstructorParameters<typeof Piscina>[0]>;
type PoolWorker = Parameters<NonNullable<PoolOptions['loadBalancer']>>[1][number];

/** Hashes and compares passwords in worker threads, a bounded number at once: the event loop never waits for one. */
export class PasswordHasher {
  private readonly concurrency: number;
  private readonly spare: number;
  private readonly decoy: PasswordHash;
  private readonly meters: HashMeters;
  private readonly times: HashTimes;
  private pool: Promise<Piscina<PasswordTask, PasswordResult>> | undefined;
  private workers: Pick<Piscina, 'threads'> | undefined;
  /** The failures that led to the replacement of pools: the rejections of waiting passwords do not name them. */
  private readonly failures = new WeakMap<object, unknown>();
  private taken = 0;
  private isClosed = false;

  constructor(
    private readonly options: HasherOptions,
    private readonly random: Random,
    meters = new Meters(),
  ) {
    this.concurrency = Math.min(options.concurrency, availableParallelism());
    this.spare = Math.min(options.spare, this.concurrency);
    this.times = new HashTimes(this.concurrency);
    this.meters = new HashMeters(meters, () => ({
      active: Math.min(this.taken, this.concurrency),
      queued: Math.max(0, this.taken - this.concurrency),
      size: this.workers?.threads.length ?? 0,
    }));
    this.decoy = parsed(decoyHash(options.cost, random.bytes(SALT_BYTES + 32)));
  }

  /** Passwords being hashed or waiting for it. */
  get load(): number {
    return this.taken;
  }

  /** Number of workers, and the milliseconds from one completed hash to the next while all are busy, as it was lately. */
  get pace(): { readonly workers: number; readonly millis: number | undefined } {
    return { workers: this.concurrency, millis: this.times.pace };
  }

  /**
   * Hashes the normal form of a password.
   * @returns the Argon2id hash as PHC text
   * @throws ServiceError `UNAVAILABLE` if too many wait
   */
  async hash(password: string): Promise<string> {
    const salt = this.random.bytes(SALT_BYTES);
    return (await this.run({ kind: 'hash', password: normalForm(password), salt, cost: this.options.cost })) as string;
  }

  /**
   * Compares a password with a stored hash. Without one, it does the work of `decoy`, or of a new hash: the time of a
   * rejection must not disclose whether there is a hash.
   * @throws ServiceError `UNAVAILABLE` if too many wait
   */
  async verify(password: string, stored: PasswordHash | undefined, decoy = this.decoy): Promise<boolean> {
    const isSame = (await this.run({ kind: 'verify', password, hash: stored ?? decoy })) as boolean;
    // No account has the empty password, and hashes do not distinguish texts with lone surrogates.
    return isSame && stored !== undefined && password !== '' && password.isWellFormed() && readsWhole(stored, password);
  }

  isOutdated(stored: PasswordHash): boolean {
    return isOutdated(stored, this.options.cost);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await (await this.pool)?.destroy();
  }

  private async run(task: PasswordTask): Promise<string | boolean> {
    if (this.isClosed) throw unavailable('closed');
    if (this.taken >= this.concurrency + this.options.queueCapacity) throw unavailable('full');
    this.taken += 1;
    const since = performance.now();
    try {
      const pool = await this.opened();
      return await inSpan('password hash', async (span) => {
        const { value, millis } = await pool.run(task).catch((error: unknown) => {
          this.replaceIfEmpty(pool, error);
          throw this.failures.get(pool) ?? error;
        });
        this.times.record(millis);
        this.meters.done(since);
        const waited = performance.now() - since - millis;
        span?.set({ 'login.hash.work_ms': Math.round(millis), 'login.hash.wait_ms': Math.max(0, Math.round(waited)) });
        return value;
      });
    } catch (error) {
      // A worker ran out of memory, or the pool is being closed; the cause never contains the password.
      throw unavailable('failed', error);
    } finally {
      this.taken -= 1;
      requestContext()?.onPasswordHashed?.();
    }
  }

  private opened(): Promise<Piscina<PasswordTask, PasswordResult>> {
    this.pool ??= this.open().catch((error: unknown) => {
      // For example out of file descriptors: the next request tries again.
      this.pool = undefined;
      throw error;
    });
    return this.pool;
  }

  private async open(): Promise<Piscina<PasswordTask, PasswordResult>> {
    const { Piscina } = await import('piscina');
    const pool = new Piscina<PasswordTask, PasswordResult>({
      filename: WORKER,
      name: 'work',
      minThreads: this.spare,
      maxThreads: this.concurrency,
      idleTimeout: IDLE_MILLIS,
      // `run` limits the waiting requests.
      maxQueue: Infinity,
      // Without it, a request that finds no free worker returns to the end of the queue: some would wait for all others.
      stricterFIFO: true,
      concurrentTasksPerWorker: TASKS_PER_WORKER,
      loadBalancer: (_task, workers): PoolWorker | null => this.nextWorker(workers, pool.queueSize),
      execArgv: [],
    });
    pool.on('error', (error: unknown) => {
      this.replaceIfEmpty(pool, error);
    });
    this.workers = pool;
    return pool;
  }

  /**
   * Replaces a pool whose last worker has failed, for example because no file descriptor was left to start it: the waiting
   * passwords fail, and the next one opens another pool. A pool with other workers stays in use.
   */
  private replaceIfEmpty(pool: Piscina<PasswordTask, PasswordResult>, failure: unknown): void {
    if (this.isClosed || pool.threads.length > 0 || this.failures.has(pool)) return;
    this.failures.set(pool, failure);
    if (this.workers === pool) this.pool = undefined;
    pool.destroy().catch(() => undefined);
  }

  /**
   * The worker of the next password, or null while it has to wait. If enough passwords wait to keep all workers busy,
   * each worker has its next one at hand and does not wait for the event loop between two hashes. A few passwords wait
   * for the first idle worker instead: the one in front of them may have a hash of a higher cost.
   */
  private nextWorker(workers: readonly PoolWorker[], queued: number): PoolWorker | null {
    // `taken` still includes the passwords whose results the pool has received but not delivered.
    const inProgress = workers.reduce((sum, { currentUsage }) => sum + currentUsage, queued + 1);
    const limit = inProgress < TASKS_PER_WORKER * this.concurrency ? 1 : TASKS_PER_WORKER;
    const [leastBusy] = workers.toSorted((one, other) => one.currentUsage - other.currentUsage);
    return leastBusy !== undefined && leastBusy.currentUsage < limit ? leastBusy : null;
  }
}

function unavailable(reason: 'closed' | 'full' | 'failed', cause?: unknown): ServiceError {
  return new ServiceError('UNAVAILABLE', { retryAfterSeconds: 1, reason: `password hashing ${reason}`, cause });
}

function parsed(text: string): PasswordHash {
  const hash = parsePasswordHash(text);
  if (!hash) throw new RangeError('the cost of new password hashes is beyond what can be verified');
  return hash;
}
