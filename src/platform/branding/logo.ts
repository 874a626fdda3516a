import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { extname } from 'node:path';

/** The logo of the pages, as it was at startup. */
export interface Logo {
  readonly mediaType: string;
  readonly bytes: Buffer;
  /** File name for its URL, which changes with the content. */
  readonly name: string;
}

/** A configured logo that cannot be used; the message is for operators. */
export class LogoProblem extends Error {}

const MAX_BYTES = 100 * 1024;
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
};

/** @throws LogoProblem */
export function readLogo(path: string): Logo {
  const extension = extname(path).toLowerCase();
  const mediaType = MEDIA_TYPES[extension];
  if (mediaType === undefined) throw new LogoProblem('the logo must be an .svg, .png, .jpg or .webp file');
  const bytes = contentOf(path);
  return { mediaType, bytes, name: `logo-${shortHash(bytes)}${extension}` };
}

/** Identifies a content within a URL. */
export function shortHash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 12);
}

function contentOf(path: string): Buffer {
  try {
    if (statSync(path).size > MAX_BYTES) throw new LogoProblem('the logo is larger than 100 kB');
    return readFileSync(path);
  } catch (error) {
    if (error instanceof LogoProblem) throw error;
    throw new LogoProblem(`the logo cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`);
  }
}
