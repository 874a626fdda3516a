import { resolve } from 'node:path';

/** The file that a value names, absolute; `file:` may stand before it. */
export function placeOf(value: string): string {
  return resolve(value.replace(/^file:(?:\/\/(?=\/))?/, ''));
}

/** The same for a value that may also be a PEM text, which names none. */
export function fileOf(value: string): string | undefined {
  return value.includes('-----BEGIN ') ? undefined : placeOf(value);
}
