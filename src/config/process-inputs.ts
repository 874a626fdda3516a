import { fileURLToPath } from 'node:url';
import type { ConfigurationInputs } from './configuration.js';

/** The class path: files that are part of the package, found from here and not from the working folder. */
const PACKAGE_FOLDER = fileURLToPath(new URL('../resources/', import.meta.url));

/** What this process was given; `args` are those that set keys. */
export function processInputs(args: readonly string[] = process.argv.slice(2)): ConfigurationInputs {
  return { args, variables: process.env, workingFolder: process.cwd(), packageFolder: PACKAGE_FOLDER };
}

/** Makes the zone that of the whole process; to be called before the first date is made. */
export function setProcessTimeZone(zone: string | undefined): void {
  if (zone !== undefined) process.env['TZ'] = zone;
}

/** The zone dates of this process are read and written in. */
export function processTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
