import { hostname } from 'node:os';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Random } from '../../kernel/random/random.js';
import { UnitOfWork } from '../../platform/persistence/unit-of-work.js';
import { ScheduledTasks } from '../../platform/tasks/scheduled-tasks.js';
import { readBuildInfo } from '../info/build-info.js';
import type { Replica } from './replica.js';
import { ReplicaStore } from './replica.store.js';

/** Delayed, so that readiness does not wait for it. */
const INITIAL_DELAY_MILLIS = 1000;
const INTERVAL_MILLIS = 30_000;
/** An instance that missed three turns has stopped or has lost the database. */
const LIFETIME_SECONDS = 100;
const UNKNOWN_VERSION = 'unknown';

/** Records that this instance runs, for the overview of administrators, and lists all running instances. */
@Injectable()
export class Replicas {
  private readonly self: Replica;

  constructor(
    private readonly store: ReplicaStore,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    random: Random,
    tasks: ScheduledTasks,
  ) {
    const version = readBuildInfo().build?.version ?? UNKNOWN_VERSION;
    this.self = { id: random.text(16), host: hostname(), version, startedAt: clock.seconds() };
    tasks.repeat(
      'Replicas.record',
      {
        kind: 'fixedRate',
        initialDelayMillis: INITIAL_DELAY_MILLIS,
        intervalMillis: INTERVAL_MILLIS,
        lastStep: { limitMillis: 1000, run: () => this.remove() },
      },
      () => this.record(),
    );
  }

  /** The running instances, by host. */
  list(): Promise<readonly Replica[]> {
    return this.work.single((tx) => this.store.live(tx, this.clock.seconds()));
  }

  private async record(): Promise<void> {
    const expiresAt = this.clock.seconds() + LIFETIME_SECONDS;
    if (await this.work.single((tx) => this.store.renew(tx, this.self.id, expiresAt))) return;
    await this.work.single((tx) => this.store.add(tx, this.self, expiresAt));
  }

  /** Without a database, the row expires by itself. */
  private async remove(): Promise<void> {
    await this.work.single((tx) => this.store.remove(tx, this.self.id)).catch(() => undefined);
  }
}
