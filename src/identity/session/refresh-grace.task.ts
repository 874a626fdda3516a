import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { UnitOfWork } from '../../platform/persistence/unit-of-work.js';
import type { BackgroundLoop } from '../../platform/tasks/repeat.js';
import { ScheduledTasks } from '../../platform/tasks/scheduled-tasks.js';
import { RefreshTokenStore } from './refresh-token.store.js';
import { RefreshProperties } from './session.properties.js';

const BATCH = 200;

interface SealedSuccessor {
  readonly hash: string;
  /** Epoch seconds. */
  readonly until: number;
}

/**
 * Removes sealed successors after the grace. If the process dies before, a successor stays in the table until its row
 * expires: only the holder of its predecessor can open it, and replay returns it within the grace only.
 */
@Injectable()
export class RefreshGrace {
  private readonly loop: BackgroundLoop;
  private scheduled: SealedSuccessor[] = [];

  constructor(
    private readonly store: RefreshTokenStore,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly properties: RefreshProperties,
    tasks: ScheduledTasks,
  ) {
    const waitMillis = properties.grace.milliseconds + 1000;
    const trigger = `${waitMillis} ms after a successor was sealed, and again while any is scheduled`;
    const delayMillis = (): number | undefined => (this.scheduled.length > 0 ? waitMillis : undefined);
    const removeExpired = (): Promise<void> => this.removeExpired();
    this.loop = tasks.repeat('RefreshGrace.removeExpired', { kind: 'custom', trigger, delayMillis }, removeExpired);
  }

  /** Schedules the removal of the successor of the token with this hash. */
  schedule(hash: string): void {
    this.scheduled.push({ hash, until: this.clock.seconds() + this.properties.grace.seconds });
    this.loop.resume();
  }

  /** Removes the successors whose grace is over. */
  async removeExpired(): Promise<void> {
    const now = this.clock.seconds();
    const over = this.scheduled.filter(({ until }) => until < now).slice(0, BATCH);
    if (over.length === 0) return;
    const hashes = over.map(({ hash }) => hash);
    // A rotation that was rolled back and repeated has a later time, and is scheduled once more.
    const before = now - this.properties.grace.seconds;
    await this.work.single((tx) => this.store.clearSuccessors(tx, hashes, before));
    const forgotten = new Set(over);
    this.scheduled = this.scheduled.filter((each) => !forgotten.has(each));
    if (over.length === BATCH) await this.removeExpired();
  }
}
