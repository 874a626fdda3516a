import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { Logger } from '../../../observability/logging/logger.js';
import { Loggers } from '../../../observability/logging/loggers.js';
import { type Tx, UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { Random, timeOrderedId } from '../../../kernel/random/random.js';
import { StagedAccountsStore, type StoredImport } from './staged-accounts.store.js';

/** Accounts that one transaction activates or deletes. */
const BATCH = 500;
/** Each batch renews the lease; after this time without one, another process settles the import. */
const LEASE_SECONDS = 30;
/** Longer than a lease, so that an import always outlasts one whose process was killed. */
const MAX_WAIT_MILLIS = 2 * LEASE_SECONDS * 1000;
const POLL_MILLIS = 100;

/** Deletes what an import has stored beside its accounts. */
export interface ImportedParts {
  deleteOf(tx: Tx, subjects: readonly string[]): Promise<void>;
}

/**
 * Imports that are stored in many short transactions and take effect as a whole: their accounts are staged, which hides
 * them, until one row decides. Then they become active, or are deleted, batch by batch; if the process ends meanwhile,
 * another one finishes that.
 */
@Injectable()
export class StagedImports {
  private readonly logger: Logger;

  constructor(
    private readonly store: StagedAccountsStore,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly random: Random,
    loggers: Loggers,
  ) {
    this.logger = loggers.get('account');
  }

  /**
   * Begins an import after the end of the one in progress.
   * @throws ServiceError `UNAVAILABLE` if that one takes too long
   */
  async begin(parts: ImportedParts | undefined): Promise<StagedImport> {
    const holder = this.newHolder();
    for (const startedAt = performance.now(); ;) {
      await this.settleAbandoned(parts);
      if (await this.work.single((tx) => this.store.claim(tx, holder, this.leaseEnd())))
        return this.held(holder, parts);
      if (performance.now() - startedAt > MAX_WAIT_MILLIS) {
        throw new ServiceError('UNAVAILABLE', { retryAfterSeconds: 10, reason: 'another import is in progress' });
      }
      await wait(POLL_MILLIS);
    }
  }

  /** Activates or deletes the accounts of an import whose process does not go on; without one, nothing happens. */
  async settleAbandoned(parts: ImportedParts | undefined): Promise<void> {
    const holder = this.newHolder();
    const now = this.clock.seconds();
    const times = { now, latest: now + 2 * LEASE_SECONDS, expiresAt: this.leaseEnd() };
    if (!(await this.work.single((tx) => this.store.takeOver(tx, holder, times)))) return;
    const state = await this.held(holder, parts).settle();
    const outcome = state === 'complete' ? 'its accounts are active now' : 'it created no account';
    this.logger.warn(`An import that its process did not finish was settled: ${outcome}`);
  }

  private held(holder: string, parts: ImportedParts | undefined): StagedImport {
    return new StagedImport(holder, this.store, this.work, () => this.leaseEnd(), parts);
  }

  private newHolder(): string {
    return timeOrderedId(this.clock.millis(), this.random.bytes(10));
  }

  private leaseEnd(): number {
    return this.clock.seconds() + LEASE_SECONDS;
  }
}

/** The import in progress, for the process that holds it. */
export class StagedImport {
  constructor(
    private readonly holder: string,
    private readonly store: StagedAccountsStore,
    private readonly work: UnitOfWork,
    private readonly leaseEnd: () => number,
    private readonly parts: ImportedParts | undefined,
  ) {}

  /** Runs `insert`, which stages accounts with these ids, in a transaction of its own. */
  stage<T>(ids: readonly string[], insert: (tx: Tx) => Promise<T>): Promise<T> {
    const [firstId] = ids.toSorted();
    return this.work.run(async (tx) => {
      if (firstId !== undefined) demand(await this.store.extend(tx, this.holder, firstId, this.leaseEnd()));
      return insert(tx);
    });
  }

  /** Decides, in one transaction with `record`, that all staged accounts will be active. */
  complete(record: (tx: Tx) => Promise<void>): Promise<void> {
    return this.work.run(async (tx) => {
      demand(await this.store.complete(tx, this.holder));
      await record(tx);
    });
  }

  /**
   * Activates the accounts of a complete import and deletes those of any other; returns its state.
   * @throws ServiceError `UNAVAILABLE` if another process has taken over
   */
  async settle(): Promise<StoredImport['state']> {
    const stored = await this.work.single((tx) => this.store.find(tx, this.holder));
    demand(stored !== undefined);
    const { state, first_id: firstId } = stored;
    let from: string | undefined = firstId;
    while (from !== undefined) from = await this.settleBatch(state, from);
    await this.work.single((tx) => this.store.release(tx, this.holder));
    return state;
  }

  /** Returns the id at which the next batch begins. */
  private settleBatch(state: StoredImport['state'], from: string): Promise<string | undefined> {
    return this.work.run(async (tx) => {
      demand(await this.store.hold(tx, this.holder, state, this.leaseEnd()));
      const to = await this.store.lastOf(tx, from, BATCH);
      if (to === undefined) return undefined;
      if (state === 'complete') await this.store.activate(tx, from, to);
      else await this.delete(tx, from, to);
      return to === from ? undefined : to;
    });
  }

  private async delete(tx: Tx, from: string, to: string): Promise<void> {
    const ids = await this.store.ids(tx, from, to);
    if (ids.length > 0) await this.parts?.deleteOf(tx, ids);
    await this.store.delete(tx, from, to);
  }
}

function demand(isHeld: boolean): asserts isHeld {
  if (!isHeld) throw new ServiceError('UNAVAILABLE', { retryAfterSeconds: 1, reason: 'the import was interrupted' });
}
