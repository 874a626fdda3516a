import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import { UnitOfWork } from '../persistence/unit-of-work.js';
import { type ScheduledTask, ScheduledTasks } from '../tasks/scheduled-tasks.js';
import { RefreshTokenStore } from './refresh-token.store.js';
import { RefreshProperties } from './refresh.properties.js';

const BATCH = 200;

interface Kept {
  readonly hash: string;
  /** Epoch seconds. */
  readonly until: number;
}

/**
 * Removes sealed successors after the grace. One whose process died before stays in the table until its row expires: it
 * opens for the holder of its predecessor alone, and is handed out within the grace only.
 */
@Injectable()
export class SealedSuccessors implements OnModuleDestroy {
  private readonly task: ScheduledTask;
  private kept: Kept[] = [];
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(
    private readonly store: RefreshTokenStore,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly properties: RefreshProperties,
    tasks: ScheduledTasks,
  ) {
    const trigger = `${this.waitMillis} ms after a successor was sealed, and again while any is kept`;
    this.task = tasks.add('SealedSuccessors.forget', { kind: 'custom', trigger });
  }

  async onModuleDestroy(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  /** The successor of the token with this hash is kept from now on. */
  noteKept(hash: string): void {
    this.kept.push({ hash, until: this.clock.seconds() + this.properties.grace.seconds });
    if (!this.timer) this.wait();
  }

  /** Removes those whose time is over. */
  async forget(): Promise<void> {
    const now = this.clock.seconds();
    const over = this.kept.filter(({ until }) => until < now).slice(0, BATCH);
    if (over.length === 0) return;
    const hashes = over.map(({ hash }) => hash);
    // One whose use was taken back and repeated has a later time, and was noted once more.
    const before = now - this.properties.grace.seconds;
    await this.work.single((tx) => this.store.forgetSuccessors(tx, hashes, before));
    const forgotten = new Set(over);
    this.kept = this.kept.filter((each) => !forgotten.has(each));
    if (over.length === BATCH) await this.forget();
  }

  private get waitMillis(): number {
    return this.properties.grace.milliseconds + 1000;
  }

  private wait(): void {
    this.task.plan(this.waitMillis);
    this.timer = setTimeout(() => {
      this.running = this.turn();
    }, this.waitMillis).unref();
  }

  private async turn(): Promise<void> {
    try {
      await this.task.run(() => this.forget());
    } catch {
      // The database is away; the next turn takes them up.
    }
    this.timer = undefined;
    if (this.kept.length > 0 && !this.isStopped) this.wait();
  }
}
