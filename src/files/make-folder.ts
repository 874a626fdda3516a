import { mkdirSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder with those above it; one that is there is good. The recursive form of `mkdir` never ends where a folder
 * that is there says that one in it cannot be (ENOENT), as below /proc, and takes a core and a thread with it.
 */
export async function makeFolder(path: string, mode: number): Promise<void> {
  try {
    await makeOne(path, mode);
  } catch (error) {
    if (!isAboveMissing(error, path)) throw error;
    await makeFolder(dirname(path), mode);
    await makeOne(path, mode);
  }
}

/** The same for the start, which waits for it. */
export function makeFolderNow(path: string, mode: number): void {
  try {
    makeOneNow(path, mode);
  } catch (error) {
    if (!isAboveMissing(error, path)) throw error;
    makeFolderNow(dirname(path), mode);
    makeOneNow(path, mode);
  }
}

/** Another process may make it at the same moment. */
async function makeOne(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, mode);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST' || !(await stat(path)).isDirectory()) throw error;
  }
}

function makeOneNow(path: string, mode: number): void {
  try {
    mkdirSync(path, mode);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST' || !statSync(path).isDirectory()) throw error;
  }
}

function isAboveMissing(error: unknown, path: string): boolean {
  return codeOf(error) === 'ENOENT' && dirname(path) !== path;
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
