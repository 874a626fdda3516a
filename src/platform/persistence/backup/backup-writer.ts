import { createHash } from 'node:crypto';
import { type FileHandle, link, open, unlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Random } from '../../../kernel/random/random.js';
import type { BackupHeader, RowCounts } from './backup-format.js';
import { BackupRejection } from './backup-format.js';

/** Lines are collected up to this size for one write. */
const CHUNK = 256 * 1024;

/** Writes the lines of a backup to a draft, which gets its name only when it is complete and on the disk. */
export class BackupWriter {
  private readonly hash = createHash('sha256');
  private readonly counts = new Map<string, number>();
  private pending = '';

  private constructor(
    private readonly file: string,
    private readonly draft: string,
    private readonly handle: FileHandle,
  ) {}

  /** @throws BackupRejection if the file exists or its folder cannot be written */
  static async create(file: string, random: Random): Promise<BackupWriter> {
    const target = resolve(file);
    const draft = `${target}.${random.bytes(8).toString('hex')}.part`;
    await rejectExisting(target);
    try {
      return new BackupWriter(target, draft, await open(draft, 'wx', 0o600));
    } catch (error) {
      throw cannotWrite(target, error);
    }
  }

  async header(header: BackupHeader): Promise<void> {
    await this.line(header);
  }

  async table(table: string, columns: readonly string[]): Promise<void> {
    this.counts.set(table, 0);
    await this.line({ table, columns });
  }

  async row(table: string, values: readonly unknown[]): Promise<void> {
    this.counts.set(table, (this.counts.get(table) ?? 0) + 1);
    await this.line(values);
  }

  /** Ends the file and gives it its name; a file of that name is never replaced. Returns the number of rows by table. */
  async finish(): Promise<RowCounts> {
    await this.flush();
    const rows = Object.fromEntries(this.counts);
    try {
      await this.handle.writeFile(`${JSON.stringify({ rows, sha256: this.hash.digest('hex') })}\n`);
      await this.handle.sync();
      await this.handle.close();
      // Unlike a rename, a link never replaces a file that another process has put there.
      await link(this.draft, this.file);
    } catch (error) {
      throw cannotWrite(this.file, error);
    }
    await unlink(this.draft);
    await syncFolder(dirname(this.file));
    return rows;
  }

  /** Removes the unfinished file. */
  async abandon(): Promise<void> {
    await this.handle.close().catch(() => undefined);
    await unlink(this.draft).catch(() => undefined);
  }

  private async line(content: unknown): Promise<void> {
    this.pending += `${JSON.stringify(content)}\n`;
    if (this.pending.length >= CHUNK) await this.flush();
  }

  private async flush(): Promise<void> {
    const bytes = Buffer.from(this.pending);
    this.pending = '';
    this.hash.update(bytes);
    try {
      await this.handle.writeFile(bytes);
    } catch (error) {
      throw cannotWrite(this.file, error);
    }
  }
}

async function rejectExisting(file: string): Promise<void> {
  let handle: FileHandle;
  try {
    handle = await open(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw cannotWrite(file, error);
  }
  await handle.close();
  throw exists(file);
}

function exists(file: string): BackupRejection {
  return new BackupRejection(`${file} exists; a backup never replaces a file.`);
}

function cannotWrite(file: string, cause: unknown): BackupRejection {
  const { code } = cause as NodeJS.ErrnoException;
  return code === 'EEXIST'
    ? exists(file)
    : new BackupRejection(`${file} cannot be written (${String(code)}).`, { cause });
}

/** Makes the new directory entry durable; Windows cannot sync directories. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
