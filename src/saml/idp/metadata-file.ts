import { readFile, stat } from 'node:fs/promises';
import { MetadataFailure, utf8 } from './metadata-failure.js';
import { LONGEST_METADATA } from './metadata-source.js';

/**
 * All of a file with metadata.
 * @throws MetadataFailure
 */
export async function documentIn(file: string): Promise<string> {
  try {
    const found = await stat(file);
    // A pipe or a device could keep the reader waiting for ever.
    if (!found.isFile()) throw new MetadataFailure('they are in no file');
    if (found.size > LONGEST_METADATA) throw new MetadataFailure('they are larger than 5 MB');
    return utf8(await readFile(file));
  } catch (error) {
    if (error instanceof MetadataFailure) throw error;
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new MetadataFailure(`their file cannot be read (${code})`, error);
  }
}
