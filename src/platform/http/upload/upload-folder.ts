import { closeSync, lstatSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../../kernel/clock/clock.js';
import { makeFolderNow } from '../../../kernel/files/make-folder.js';
import type { Random } from '../../../kernel/random/random.js';
import { type Problem, problem } from '../../../config/problem.js';

const PREFIX = 'login-upload';
/** Format of a file name: prefix, host, process id and a random text. */
const OURS = /^login-upload\.([\w-]+)\.(\d+)\.[\w-]{22}$/;
/** Random bytes of a file name. */
const NAME_BYTES = 16;
/** Age from which a file is a leftover of a killed process, on any machine: no request takes that long. */
const DAY_MILLIS = 24 * 60 * 60 * 1000;
/** Host in a file name; process ids can be checked on this host only. */
const HOST = hostname()
  .replaceAll(/[^\w-]/g, '_')
  .slice(0, 64);

/** An upload folder that cannot be used. */
export class UploadFolderFailure extends Error {
  constructor(
    readonly path: string,
    cause: unknown,
  ) {
    super('uploads cannot be stored', { cause });
    this.name = 'UploadFolderFailure';
  }

  get code(): string | undefined {
    return (this.cause as NodeJS.ErrnoException).code;
  }
}

/** Folder of uploaded files during their requests; several processes may share it. */
export class UploadFolder {
  private constructor(
    readonly path: string,
    private readonly random: Random,
  ) {}

  /**
   * Verifies by writing and removing a file that `location` can be used; creates the temporary folder of the machine if
   * it is missing. Removes files that killed processes of the same user left behind.
   * @throws UploadFolderFailure
   */
  static open(location: string | undefined, random: Random, clock: Clock): UploadFolder {
    const folder = new UploadFolder(location ?? tmpdir(), random);
    try {
      if (location === undefined) makeFolderNow(folder.path, 0o700);
      for (const file of leftovers(folder.path, clock.millis())) rmSync(file, { force: true });
      probe(folder.newFile());
    } catch (error) {
      throw new UploadFolderFailure(folder.path, error);
    }
    return folder;
  }

  /** Returns the path of a new file, which cannot be guessed. */
  newFile(): string {
    return join(this.path, `${PREFIX}.${HOST}.${process.pid}.${this.random.text(NAME_BYTES)}`);
  }
}

function probe(file: string): void {
  const descriptor = openSync(file, 'wx', 0o600);
  try {
    writeSync(descriptor, 'x');
  } finally {
    closeSync(descriptor);
    rmSync(file);
  }
}

function leftovers(folder: string, now: number): readonly string[] {
  return readdirSync(folder).flatMap((name) => {
    const [, host, pid] = OURS.exec(name) ?? [];
    if (host === undefined) return [];
    const file = join(folder, name);
    const found = lstatSync(file, { throwIfNoEntry: false });
    // In a shared folder, other users may own files with such names; these must not prevent startup.
    if (!found?.isFile() || found.uid !== process.geteuid?.()) return [];
    const isLeft = (host === HOST && !isOfAnother(Number(pid))) || now - found.mtimeMs > DAY_MILLIS;
    return isLeft ? [file] : [];
  });
}

/**
 * True if another process has this id. This process has created no file yet, so a file with its own id is a leftover.
 */
function isOfAnother(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // A process of another user exists even if it must not be signalled.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const KEY = 'app.servlet.multipart.location';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'the folder does not exist',
  ENOTDIR: 'it is not a folder',
  EACCES: 'this user cannot write there',
  EPERM: 'this user cannot write there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the device',
};

/** Reports an unusable upload folder with an action; `code` is the error code of the system. */
export function uploadFolderProblem(
  code: string,
  { value, origin }: { readonly value: string | undefined; readonly origin: string | undefined },
): Problem {
  return problem(
    'Uploaded files cannot be stored',
    `Create the folder and make it writable for the user of the service, or set ${KEY} to such a folder.`,
    {
      Property: KEY,
      Value: value,
      Origin: origin,
      Reason: [REASONS[code], code].filter(Boolean).join(': '),
    },
  );
}
