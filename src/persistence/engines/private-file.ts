import { closeSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { makeFolderNow } from '../../files/make-folder.js';

/** Makes the file, readable by its owner alone, and the folders above it; SQLite gives its side files the same mode. */
export function createPrivateFile(file: string): void {
  makeFolderNow(dirname(resolve(file)), 0o700);
  closeSync(openSync(file, 'a', 0o600));
}
