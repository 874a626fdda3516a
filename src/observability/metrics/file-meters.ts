import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Meters } from './meters.js';

const OPEN_FILES = '/proc/self/fd';

/** Adds the meters of open files where `/proc` has them, which only Linux provides; `limits` is the file of the limits. */
export function addFileMeters(meters: Meters, limits = '/proc/self/limits'): void {
  if (!existsSync(OPEN_FILES) || !existsSync(limits)) return;
  const open = { description: 'Open files and sockets', baseUnit: 'files' };
  // Reading the folder opens one of them.
  meters.gauge('process.files.open.files', open, () => readdirSync(OPEN_FILES).length - 1);
  const max = { description: 'Maximum number of open files and sockets', baseUnit: 'files' };
  meters.gauge('process.files.max.files', max, () => openFileLimit(readFileSync(limits, 'utf8')));
}

/** The soft limit of open files in the text of `/proc/<pid>/limits`. */
function openFileLimit(limits: string): number {
  const limit = /^Max open files +(\S+)/m.exec(limits)?.[1];
  return limit === 'unlimited' ? Infinity : Number(limit ?? NaN);
}
