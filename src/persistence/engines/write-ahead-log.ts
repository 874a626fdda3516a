import { closeSync, fdatasync, openSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';

/** The disk did not confirm a commit; the prefix of the code classifies it as a failure of the database. */
export class DiskFailure extends Error {
  readonly code = 'WAL_NOT_SYNCED';

  constructor(cause?: unknown) {
    super('the disk did not confirm a commit', { cause });
    this.name = 'DiskFailure';
  }
}

/**
 * Makes the commits of a SQLite database in WAL mode durable. With `synchronous=FULL`, SQLite waits for the disk inside of
 * COMMIT, which blocks the event loop. Here, COMMIT only appends to the write-ahead log (`synchronous=NORMAL`) and a thread
 * of libuv syncs the file; commits that happen meanwhile share the next sync.
 * @see https://www.sqlite.org/wal.html
 */
export class WriteAheadLog {
  private committed = 0;
  private durable = 0;
  private descriptor: number | undefined;
  private syncing: Promise<void> | undefined;
  private failure: DiskFailure | undefined;

  constructor(private readonly file: string) {}

  /** Set after a failed sync, which a later one cannot repair: the kernel may have dropped the unwritten pages. */
  get hasFailed(): boolean {
    return this.failure !== undefined;
  }

  /** Notes a commit that the disk has not confirmed yet. */
  noteCommit(): void {
    this.committed += 1;
  }

  /** Notes that all commits are in the synced database file itself, where no failed sync of the log can harm them. */
  noteCheckpoint(): void {
    this.durable = this.committed;
    this.failure = undefined;
  }

  /**
   * Waits until the disk has confirmed every commit noted so far.
   * @throws DiskFailure if it is unknown whether a power failure would undo one of them
   */
  async settled(): Promise<void> {
    const target = this.committed;
    while (this.durable < target) {
      if (this.failure) throw this.failure;
      this.syncing ??= this.sync().finally(() => (this.syncing = undefined));
      await this.syncing;
    }
  }

  /** Closes the file once no sync uses it. */
  close(): void {
    if (this.descriptor === undefined) return;
    const descriptor = this.descriptor;
    this.descriptor = undefined;
    const closeFile = (): void => {
      closeSync(descriptor);
    };
    if (this.syncing) this.syncing.then(closeFile, closeFile);
    else closeFile();
  }

  private async sync(): Promise<void> {
    // Units of work that are ready in this turn of the event loop share the sync.
    await nextTurn();
    const target = this.committed;
    try {
      // SQLite keeps this file while a connection is open, so the descriptor stays valid; it holds no locks on it.
      this.descriptor ??= openSync(this.file, 'r+');
      await promisify(fdatasync)(this.descriptor);
    } catch (error) {
      this.failure = new DiskFailure(error);
      throw this.failure;
    }
    this.durable = Math.max(this.durable, target);
  }
}
