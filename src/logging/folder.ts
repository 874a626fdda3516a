import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Of folders and files of a log: for owner and group alone. */
const FOLDER_MODE = 0o750;
export const FILE_MODE = 0o640;

/**
 * Makes a folder with those above it; one that is there is good. The recursive form of `mkdir` never ends where a folder
 * that is there says that one in it cannot be (ENOENT), as some file systems do, and takes a core and a thread with it.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await makeOne(path);
  } catch (error) {
    const above = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === path) throw error;
    await makeFolder(above);
    await makeOne(path);
  }
}

async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path, FOLDER_MODE);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !(await stat(path)).isDirectory()) throw error;
  }
}
