import { mkdirSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a folder with its parents unless it exists. The recursive form of `mkdir` does not end if an existing folder
 * reports ENOENT for a new one in it, as below /proc, and then uses up a core and a thread.
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

/** Synchronous form of `makeFolder` for startup. */
export function makeFolderNow(path: string, mode: number): void {
  try {
    makeOneNow(path, mode);
  } catch (error) {
    if (!isAboveMissing(error, path)) throw error;
    makeFolderNow(dirname(path), mode);
    makeOneNow(path, mode);
  }
}

/** Accepts a folder that another process creates at the same moment. */
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
