import { resolve } from 'node:path';

/** The absolute path of the file that a value names, with or without `file:`. */
export function placeOf(value: string): string {
  return resolve(value.replace(/^file:(?:\/\/(?=\/))?/, ''));
}

/** The same for a value that may also be a PEM text, which names none. */
export function fileOf(value: string): string | undefined {
  return value.includes('-----BEGIN ') ? undefined : placeOf(value);
}
