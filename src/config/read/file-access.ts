import { readdirSync, statSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';
import { readWholeFile, type WholeFile } from '../../kernel/files/whole-file.js';
import { DataSize } from '../bind/data-size.js';
import { type Origin, type Resource, resourceText } from './origin.js';
import { ConfigurationFailure, from, problem } from '../problem.js';

/** Maximum size of a configuration file. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Returns the names in a folder, sorted. Omits those that start with two dots: Kubernetes swaps mounted volumes by them. */
export function namesIn(folder: string, parent: Origin | undefined): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith('..'))
      .sort();
  } catch (cause) {
    throw unreachable(`The folder ${folder}`, 'Check that this user may list it.', parent, cause);
  }
}

/** Reads a whole file; a failure contains the action for the operator. */
export function wholeFile(path: string, resource: Resource, parent: Origin | undefined): WholeFile {
  try {
    const found = readWholeFile(path, MAX_FILE_BYTES);
    if (found === 'not a file') throw new Error('it is not a file');
    if (found === 'too large') throw new Error(`it is larger than ${DataSize.ofBytes(MAX_FILE_BYTES).toString()}`);
    return found;
  } catch (cause) {
    throw unreachable(resourceText(resource), 'Check that it is a file and that this user may read it.', parent, cause);
  }
}

/** Decodes UTF-8 without its byte order mark. Another encoding fails here, not as wrong letters in a name or a password. */
export function decoded(bytes: Buffer, resource: Resource, parent: Origin | undefined): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw unreachable(resourceText(resource), 'Save it in UTF-8.', parent, new Error('its text is not UTF-8'));
  }
}

/** True for a path that is written as that of a folder. */
export function isFolder(path: string): boolean {
  return path.endsWith('/') || path.endsWith(sep);
}

/** The kind of file at a path. */
export function kindOf(path: string): 'file' | 'folder' | 'nothing' {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) return 'nothing';
    return found.isDirectory() ? 'folder' : 'file';
  } catch (cause) {
    // Something exists that cannot be inspected; reading it reports the reason.
    return (cause as NodeJS.ErrnoException).code === 'ENOTDIR' ? 'nothing' : 'file';
  }
}

/** Returns the path relative to the base if the file is below it, otherwise the absolute path. */
export function shortest(base: string, path: string): string {
  const inside = relative(base, path);
  const isOutside = inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside);
  return isOutside ? path : inside;
}

function unreachable(what: string, action: string, parent: Origin | undefined, cause: unknown): ConfigurationFailure {
  const { code, message } = cause as NodeJS.ErrnoException;
  return new ConfigurationFailure([
    problem(`${what} cannot be read`, action, { Origin: from(parent), Reason: code ?? message }),
  ]);
}
