import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { kindOf, shortest } from '../../../config/read/file-access.js';
import type { ConfigContext } from '../../../config/read/config-file.js';
import type { Resource } from '../../../config/read/origin.js';

/** A file that a location names. */
export interface LocatedFile {
  readonly path: string;
  readonly resource: Resource;
}

/** The mapper files of the service itself. */
export const PACKAGED = 'classpath:mapper/**/*.xml';

export type Folders = Pick<ConfigContext, 'workingFolder' | 'packageFolder'>;

/** Lists the files of a location by path; a text is the reason why it cannot be used. */
export function filesAt(location: string, { workingFolder, packageFolder }: Folders): readonly LocatedFile[] | string {
  const [, scheme, path = ''] = /^(?:(classpath\*?|file):)?(.*)$/s.exec(location) ?? [];
  if (scheme === undefined && /^[a-z][\w+.*-]+:/i.test(location))
    return 'it begins with classpath:, classpath*: or file:';
  const isPackaged = scheme?.startsWith('classpath') === true;
  const start = isPackaged ? packageFolder : workingFolder;
  const written = isPackaged ? path.replace(/^\/+/, '') : path.replace(/^\/\/(?=\/)/, '');
  const [, literal = '', pattern = ''] = /^((?:[^*?/]*\/)*)(.*)$/s.exec(written) ?? [];
  const folder = resolve(start, literal);
  const isPattern = /[*?]/.test(pattern);
  if (isPattern && /[[\]{}()!]/.test(pattern)) return 'a pattern contains *, ? and ** only';
  const names = isPattern ? globSync(pattern, { cwd: folder }) : pattern === '' ? [] : [pattern];
  const files = names
    .map((name) => resolve(folder, name))
    .filter((file) => kindOf(file) === 'file')
    .sort();
  if (files.length === 0 && !isPattern) return 'there is no such file';
  const kind = isPackaged ? 'classpath' : 'file';
  return files.map((file) => ({ path: file, resource: { kind, path: shortest(start, file) } }));
}
