import { closeSync, lstatSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../clock/clock.js';
import { makeFolderNow } from '../../files/make-folder.js';
import type { Random } from '../../random/random.js';
import { type Problem, problem } from '../../config/problem.js';

const PREFIX = 'login-upload';
/** Host, process id and a random text behind the prefix. */
const OURS = /^login-upload\.([\w-]+)\.(\d+)\.[\w-]{22}$/;
/** Random bytes of a file name. */
const NAME_BYTES = 16;
/** No request lasts that long: what is older was left behind, on whatever machine. */
const DAY_MILLIS = 24 * 60 * 60 * 1000;
/** Part of a file name: which process ids can be asked about here. */
const HOST = hostname()
  .replaceAll(/[^\w-]/g, '_')
  .slice(0, 64);

/** A folder in which uploads cannot be stored. */
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

/** Where uploaded files lie while their request lasts; several processes may share it. */
export class UploadFolder {
  private constructor(
    readonly path: string,
    private readonly random: Random,
  ) {}

  /**
   * Checks at the start, by doing so, that files can be written to `location` and removed from it; the temporary folder
   * of the machine is made where it is missing. Removes what killed processes of the same user left behind.
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

  /** The path of a file that is not there yet; nobody can guess it. */
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
    // In a folder that everybody shares, what others call so is theirs to remove, and must not keep us from the start.
    if (!found?.isFile() || found.uid !== process.geteuid?.()) return [];
    const isLeft = (host === HOST && !isOfAnother(Number(pid))) || now - found.mtimeMs > DAY_MILLIS;
    return isLeft ? [file] : [];
  });
}

/** A file of this process id was made by a process before: this one has made none yet. */
function isOfAnother(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // A process of another user may not be asked, but it is there.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const KEY = 'app.servlet.multipart.location';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'the folder does not exist',
  ENOTDIR: 'this is no folder',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left there',
};

/** What an operator can do about a folder that takes no uploads; `code` is that of the system. */
export function uploadFolderProblem(
  code: string,
  { value, origin }: { readonly value: string | undefined; readonly origin: string | undefined },
): Problem {
  return problem(
    'Uploaded files cannot be stored',
    `Make the folder and let the user of the service write to it, or set ${KEY} to one like that.`,
    {
      Property: KEY,
      Value: value,
      Origin: origin,
      Reason: [REASONS[code], code].filter(Boolean).join(': '),
    },
  );
}
