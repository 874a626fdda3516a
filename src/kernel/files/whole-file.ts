import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';

/** Access rights of a file, as the system states them for an open handle or a path. */
export type FileAccess = Pick<Stats, 'mode' | 'uid' | 'gid'>;

export interface WholeFile {
  readonly bytes: Buffer;
  /** Access rights of the file from which `bytes` were read, even if the path has changed since. */
  readonly access: FileAccess;
}

/**
 * Reads a regular file of at most `mostBytes` through one handle, so that a path that changes meanwhile cannot mix two
 * files. Links are followed.
 *
 * @throws the error of the system if the file cannot be opened or read
 */
export function readWholeFile(path: string, maxBytes: number): WholeFile | 'not a file' | 'too large' {
  // Without O_NONBLOCK, opening a pipe would wait for a writer and stall the startup.
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return 'not a file';
    if (stats.size > maxBytes) return 'too large';
    return { bytes: readFileSync(descriptor), access: stats };
  } finally {
    closeSync(descriptor);
  }
}
