import { close, fdatasync, openSync, writeSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';

const STANDARD_ERROR = 2;

/**
 * Makes the commits of a SQLite database in WAL mode durable. With `synchronous=FULL`, SQLite waits for the disk inside of
 * COMMIT, which blocks the event loop. Here, COMMIT only appends to the write-ahead log (`synchronous=NORMAL`) and a thread
 * of libuv syncs the file; commits that happen meanwhile share the next sync.
 * @see https://www.sqlite.org/wal.html
 */
export class WriteAheadLog {
  private committed = 0;
  private durable = 0;
  private syncing: Promise<void> | undefined;
  private readonly descriptor: number;

  /** Opens the existing file of the log, which SQLite keeps while a connection is open; SQLite holds no locks on it. */
  constructor(private readonly file: string) {
    this.descriptor = openSync(file, 'r+');
  }

  /** Notes a commit that the disk has not confirmed yet. */
  noteCommit(): void {
    this.committed += 1;
  }

  /** Waits until the disk has confirmed every commit noted so far. */
  async settled(): Promise<void> {
    const target = this.committed;
    while (this.durable < target) {
      this.syncing ??= this.sync().finally(() => (this.syncing = undefined));
      await this.syncing;
    }
  }

  /** Closes the file after the commits so far are confirmed. */
  close(): void {
    const closeFile = (): void => {
      close(this.descriptor, () => undefined);
    };
    this.settled().then(closeFile, closeFile);
  }

  private async sync(): Promise<void> {
    // Units of work that are ready in this turn of the event loop share the sync.
    await nextTurn();
    const target = this.committed;
    try {
      await this.syncData();
    } catch (error) {
      this.endProcess(error);
      throw error;
    }
    this.durable = target;
  }

  private syncData(): Promise<void> {
    return new Promise((resolve, reject) => {
      fdatasync(this.descriptor, (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
  }

  /**
   * After a failed sync, the kernel may have dropped pages of the log that a checkpoint, also the one of an orderly exit,
   * would copy into the database file unverified. The recovery of the next start verifies them, so the process ends at once.
   */
  private endProcess(cause: unknown): void {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
    writeSync(
      STANDARD_ERROR,
      `The disk did not confirm a commit (${code}) of ${this.file}. The process ends; its next start recovers the database.\n`,
    );
    process.kill(process.pid, 'SIGKILL');
  }
}
