import { open, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { CommandResult } from './command-run.js';

/**
 * Writes an export to a new file that only its owner may read, or to the output of the command. Returns the lines for the
 * operator. An incomplete file is deleted.
 */
export async function writeExport(
  parts: AsyncIterable<string>,
  { out, output }: { readonly out: string | undefined; readonly output: NodeJS.WritableStream },
): Promise<CommandResult> {
  if (out === undefined) {
    await pipeline(Readable.from(parts), output, { end: false });
    return [];
  }
  try {
    // An existing file may have readers, and following a link could overwrite another one.
    const file = await open(out, 'wx', 0o600);
    try {
      await pipeline(Readable.from(parts), file.createWriteStream());
    } catch (error) {
      await rm(out, { force: true });
      throw error;
    }
    return [`Wrote ${out}.`];
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    return { message: `The file cannot be written (${code ?? syscall}). It must not exist yet.` };
  }
}
