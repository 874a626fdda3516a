import { oneOf, text } from '../config/bind/key-type.js';

/** From the quietest to the loudest; `OFF` is no level of a line. */
export const LEVELS = ['OFF', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE'] as const;

/** What a logger can be set to. */
export type Level = (typeof LEVELS)[number];

/** What a line can have. */
export type LineLevel = Exclude<Level, 'OFF'>;

/** How loud a level is: a line is written where its level is at most as loud as the logger's. */
export const LOUDNESS: Readonly<Record<Level, number>> = { OFF: 0, ERROR: 1, WARN: 2, INFO: 3, DEBUG: 4, TRACE: 5 };

/** Reads a level in upper or lower case; `FATAL` means `ERROR` (management API, "loggers"). */
export function levelOf(text: string): Level | undefined {
  // Letters of other languages may have ours in upper case.
  const word = /^\s*([a-z]+)\s*$/i.exec(text)?.[1]?.toUpperCase() ?? '';
  return word === 'FATAL' ? 'ERROR' : LEVELS.find((level) => level === word);
}

/** A level in the configuration; YAML reads an unquoted `off` as `false`. */
export const levelWord = oneOf('off', 'false', 'fatal', 'error', 'warn', 'info', 'debug', 'trace');

export type LevelWord = NonNullable<typeof levelWord.bound>;

export const loggerName = text({ form: /^[\w./-]{1,200}$/, called: 'the name of a logger' });
