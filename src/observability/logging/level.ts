import { oneOf, text } from '../../config/bind/key-type.js';

/** Levels in ascending verbosity; a line cannot have the level `OFF`. */
export const LEVELS = ['OFF', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE'] as const;

/** The level of a logger. */
export type Level = (typeof LEVELS)[number];

/** The level of a line. */
export type LineLevel = Exclude<Level, 'OFF'>;

/** Verbosity of the levels: a line is written if its level is at most that of its logger. */
export const VERBOSITY: Readonly<Record<Level, number>> = { OFF: 0, ERROR: 1, WARN: 2, INFO: 3, DEBUG: 4, TRACE: 5 };

/** Reads a level in upper or lower case; `FATAL` means `ERROR` (management API, "loggers"). */
export function levelOf(text: string): Level | undefined {
  // Some letters outside ASCII have ASCII upper case forms.
  const name = /^\s*([a-z]+)\s*$/i.exec(text)?.[1]?.toUpperCase() ?? '';
  return name === 'FATAL' ? 'ERROR' : LEVELS.find((level) => level === name);
}

/** The name of a level in the configuration; YAML reads an unquoted `off` as `false`. */
export const levelName = oneOf('off', 'false', 'fatal', 'error', 'warn', 'info', 'debug', 'trace');

export type LevelName = NonNullable<typeof levelName.bound>;

export const loggerName = text({ form: /^[\w./-]{1,200}$/, called: 'the name of a logger' });
