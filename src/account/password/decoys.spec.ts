import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Tx, UnitOfWork } from '../../persistence/unit-of-work.js';
import { SystemClock } from '../../clock/clock.js';
import { SystemRandom } from '../../random/random.js';
import { Sealer } from '../../sealing/sealer.js';
import { ScheduledTasks } from '../../tasks/scheduled-tasks.js';
import { Decoys } from './decoys.service.js';
import { PasswordKindStore } from './password-kind.store.js';
import { PasswordKinds } from './password-kinds.task.js';

const random = new SystemRandom();
const noTx = {} as Tx;
const work = {
  run: (act: (tx: Tx) => unknown) => act(noTx),
  single: (act: (tx: Tx) => unknown) => act(noTx),
} as unknown as UnitOfWork;

/** A table with more new hashes than are ever classified; each batch waits for `next`. */
class EndlessStore extends PasswordKindStore {
  batches = 0;
  private go: () => void = () => undefined;

  override classify(): Promise<boolean> {
    this.batches += 1;
    return new Promise((resolve) => {
      this.go = () => {
        resolve(true);
      };
    });
  }

  override kinds(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  /** Ends the batch that is under way. */
  next(): void {
    this.go();
  }
}

describe('H2: the kinds of password hashes', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  function decoysOf(store: PasswordKindStore): Decoys {
    return new Decoys(store, work, random, new Sealer('test', new Map([['test', random.bytes(32)]]), random));
  }

  it('H2: hold up the first password for two seconds at most, however many hashes are new', async () => {
    vi.useFakeTimers();
    const answers: unknown[] = [];
    const decoys = decoysOf(new EndlessStore());
    const first = decoys.decoyOf('anna').then((decoy) => answers.push(decoy));

    await vi.advanceTimersByTimeAsync(1900);
    expect(answers).toEqual([]);
    await vi.advanceTimersByTimeAsync(100);
    await first;

    expect(answers).toEqual([undefined]);
    expect(await decoys.decoyOf('bert')).toBeUndefined();
  });

  it('H2: hold up no stop: the turn ends with the batch that is under way', async () => {
    vi.useFakeTimers();
    const store = new EndlessStore();
    const tasks = new ScheduledTasks(new SystemClock());
    new PasswordKinds(decoysOf(store), tasks);
    tasks.start();
    await vi.advanceTimersByTimeAsync(1000);
    expect(store.batches).toBe(1);

    const stopped = tasks.stop();
    store.next();
    await stopped;

    expect(store.batches).toBe(1);
  });
});
