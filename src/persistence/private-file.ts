import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Makes the file, readable by its owner alone, and the folders above it; SQLite gives its side files the same mode. */
export function createPrivateFile(file: string): void {
  createPrivateFolder(dirname(resolve(file)));
  closeSync(openSync(file, 'a', 0o600));
}

/** One level after the other: Node's own recursion does not end where a file system says ENOENT to every new folder. */
function createPrivateFolder(folder: string): void {
  try {
    makeUnlessThere(folder);
  } catch (error) {
    const above = dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === folder) throw error;
    createPrivateFolder(above);
    makeUnlessThere(folder);
  }
}

/** Another process may make it at the same moment. */
function makeUnlessThere(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
