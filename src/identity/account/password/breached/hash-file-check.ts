import { BreachSourceFailure } from './breach-source.js';
import { MAX_LINE_BYTES, type SortedHashes, withHashes } from './hash-file.js';

/** Places that are checked, spread evenly from the first line to the last one. */
const PLACES = 64;
/** Lines that follow each other at a place: a file that is sorted by counts has its order there, too. */
const LINES = 16;

/** Why a file of hashes cannot be used, as the end of a sentence that begins with the file; undefined if it can. */
export async function hashFileProblem(path: string): Promise<string | undefined> {
  try {
    return await withHashes(path, orderProblem);
  } catch (error) {
    if (error instanceof BreachSourceFailure) return error.reason;
    throw error;
  }
}

/** A small file is checked line by line. */
async function orderProblem(hashes: SortedHashes): Promise<string | undefined> {
  const { size } = hashes;
  if (size === 0) return 'it is empty';
  const lastPlace = Math.max(0, size - LINES * MAX_LINE_BYTES);
  let last = '';
  let offset = 0;
  for (let place = 0; place < PLACES; place += 1) {
    offset = Math.max(offset, Math.floor((lastPlace * place) / (PLACES - 1)));
    // The last place ends with the file.
    const lines = place === PLACES - 1 ? Infinity : LINES;
    for (let count = 0; count < lines && offset < size; count += 1) {
      const { sha1, start, next } = await hashes.lineAt(offset);
      if (sha1 < last) return `its hashes are not in ascending order (byte ${start})`;
      last = sha1;
      offset = next;
    }
  }
  return undefined;
}
