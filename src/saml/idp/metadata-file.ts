import { readFile, stat } from 'node:fs/promises';
import { MetadataFailure, decodeUtf8 } from './metadata-failure.js';
import { MAX_METADATA_LENGTH } from './metadata-source.js';

/**
 * All of a file with metadata.
 * @throws MetadataFailure
 */
export async function readMetadataFile(file: string): Promise<string> {
  try {
    const found = await stat(file);
    // A pipe or a device could keep the reader waiting for ever.
    if (!found.isFile()) throw new MetadataFailure('they are in no file');
    if (found.size > MAX_METADATA_LENGTH) throw new MetadataFailure('they are larger than 5 MB');
    return decodeUtf8(await readFile(file));
  } catch (error) {
    if (error instanceof MetadataFailure) throw error;
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new MetadataFailure(`their file cannot be read (${code})`, error);
  }
}
