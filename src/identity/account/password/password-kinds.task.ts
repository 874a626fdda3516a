import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { ScheduledTasks } from '../../../platform/tasks/scheduled-tasks.js';
import { Decoys, type HashKind, type HashKindCounter } from './decoys.js';
import { HashKindStore } from './hash-kind.store.js';

/** Delayed, so that a short command ends before it. An earlier login counts the kinds itself. */
const INITIAL_DELAY_MILLIS = 1000;
const INTERVAL_MILLIS = 60_000;
/** Batches of new hashes in one turn; the next turn continues. */
const MAX_BATCHES = 500;

/** Classifies new hashes and counts the accounts of each kind in the database. */
export class StoredHashKinds implements HashKindCounter {
  constructor(
    private readonly store: HashKindStore,
    private readonly work: UnitOfWork,
  ) {}

  async count(stop?: AbortSignal): Promise<ReadonlyMap<HashKind, number> | undefined> {
    for (let batch = 0; batch < MAX_BATCHES && !stop?.aborted; batch += 1) {
      if (!(await this.work.run((tx) => this.store.classify(tx)))) break;
    }
    if (stop?.aborted) return undefined;
    const counts = new Map<HashKind, number>();
    for (const kind of await this.work.single((tx) => this.store.kinds(tx))) {
      const count = await this.countOf(kind);
      if (count > 0) counts.set(kind, count);
    }
    return counts;
  }

  private async countOf(kind: HashKind): Promise<number> {
    let count = 0;
    for (let after: string | undefined = ''; after !== undefined;) {
      const from: string = after;
      const { number, next } = await this.work.single((tx) => this.store.countSlice(tx, kind, from));
      count += number;
      after = next;
    }
    return count;
  }
}

/** Keeps the decoys up to date with the kinds of password hashes in use; a failed turn keeps the last counts. */
@Injectable()
export class PasswordKinds {
  constructor(decoys: Decoys, tasks: ScheduledTasks) {
    tasks.repeat(
      'PasswordKinds.refresh',
      { kind: 'fixedDelay', initialDelayMillis: INITIAL_DELAY_MILLIS, intervalMillis: INTERVAL_MILLIS },
      (signal) => decoys.refresh(signal),
    );
  }
}
