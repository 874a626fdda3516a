import { url as inspectorUrl } from 'node:inspector';
import { fileURLToPath } from 'node:url';
import { isLocalTime, isLocalTimeUtc } from '../../kernel/clock/clock.js';
import { zoneOf } from '../../kernel/encoding/zone.js';
import type { ConfigurationInputs } from '../configuration.js';
import { ConfigurationFailure, problem } from '../problem.js';

/** The class path: files that are part of the package, found from here and not from the working folder. */
const PACKAGE_FOLDER = fileURLToPath(new URL('../../resources/', import.meta.url));

/** Inputs of this process; `args` are the arguments that set keys. */
export function processInputs(args: readonly string[] = process.argv.slice(2)): ConfigurationInputs {
  return {
    args,
    variables: process.env,
    nodeArguments: process.execArgv,
    hasInspector: inspectorUrl() !== undefined,
    workingFolder: workingFolder(),
    packageFolder: PACKAGE_FOLDER,
  };
}

function workingFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code;
    throw new ConfigurationFailure([
      problem('The working folder is gone', 'Start from an existing folder; a new one may have the same name.', {
        Reason: reason,
      }),
    ]);
  }
}

/**
 * Sets the time zone of the process; call it before the first date is created.
 * @throws ConfigurationFailure if the process does not run in the zone then
 */
export function setProcessTimeZone(zone: string | undefined): void {
  if (zone === undefined) return;
  process.env['TZ'] = zone;
  if (isLocalTime(zoneOf(zone))) return;
  throw new ConfigurationFailure([
    problem(`The process cannot run in the time zone ${zone}`, 'Set user.timezone to another name of the zone.', {
      Property: 'user.timezone',
    }),
  ]);
}

/** False if the runtime does not know the zone in `TZ`, or if it is a rule without a name. */
export function isProcessZoneNamed(): boolean {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions() as { timeZone?: string };
  return timeZone !== undefined;
}

/** The time zone of the process; Node uses UTC if it does not know the zone in `TZ`. */
export function processTimeZone(): string {
  // The first formatter costs a noticeable part of a start, and most servers run in UTC.
  if (isLocalTimeUtc()) return 'UTC';
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions() as { timeZone?: string };
  return timeZone ?? 'UTC';
}
