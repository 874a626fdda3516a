import { pid } from 'node:process';
import { processTimeZone } from '../../../config/read/process-inputs.js';
import { localOffsetSeconds } from '../../../kernel/clock/clock.js';
import { compileDatePattern, PatternProblem } from '../../../kernel/encoding/date-pattern.js';
import { type Zone, zoneOf } from '../../../kernel/encoding/zone.js';
import { CONTEXT_NAMES, type LogContext } from '../log-context.js';
import type { LineFormat } from '../log-line.js';
import { BadPattern } from './pattern-syntax.js';
import { shownMessage, shownText } from '../format/shown-text.js';
import { thrownText } from '../format/thrown.js';

/** Compiles the options of a conversion word, such as those of `%d{…}`. */
type Word = (options: readonly string[]) => LineFormat;

const MAX_NAME_LENGTH = 200;
/** The date of `%d` without options, as in logging engines: ISO 8601 except for the blank and the comma. */
const DATE = 'yyyy-MM-dd HH:mm:ss,SSS';
const NAMED_DATES: Readonly<Record<string, string>> = { ISO8601: DATE, STRICT: "yyyy-MM-dd'T'HH:mm:ss,SSS" };

export const thrownWord: Word = ([depth]) => {
  const frames = framesOf(depth);
  return ({ error }) => (error === undefined ? '' : thrownText(error, frames));
};

/** The conversion words that a pattern may contain, under each of their names. */
export const WORDS: Readonly<Record<string, Word>> = {
  ...named('d date', dateWord),
  ...named(
    'level le p',
    () =>
      ({ level }) =>
        level,
  ),
  ...named('logger lo c', loggerWord),
  ...named(
    'thread t',
    () =>
      ({ thread }) =>
        shownText(thread, MAX_NAME_LENGTH),
  ),
  ...named('pid', () => () => String(pid)),
  ...named('msg m message', () => shownMessage),
  ...named('n', () => () => '\n'),
  ...named('X mdc', contextWord),
  ...named('correlationId', () => correlation),
  ...named('ex exception throwable xEx xException xThrowable', thrownWord),
  ...named('wEx', (options) => {
    const show = thrownWord(options);
    return (line) => (line.error === undefined ? '' : `\n${show(line)}\n`);
  }),
  ...named('nopex nopexception', () => () => ''),
};

/** Conversion words for the error of a line. A pattern without any of them gets `%ex` at its end, so that no error is lost. */
export const THROWN_WORDS = new Set([
  'ex',
  'exception',
  'throwable',
  'xEx',
  'xException',
  'xThrowable',
  'wEx',
  'nopex',
  'nopexception',
]);

function named(names: string, word: Word): Readonly<Record<string, Word>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, word]));
}

function dateWord([pattern = DATE, ...rest]: readonly string[]): LineFormat {
  if (rest.length > 1)
    throw new BadPattern('%d takes a pattern and a time zone; put a pattern that contains a comma in "quotes"');
  const write = compileDatePattern(NAMED_DATES[pattern] ?? (pattern || DATE));
  if (write instanceof PatternProblem) throw new BadPattern(`%d: ${write.reason}`);
  const zone = rest[0] === undefined ? LOCAL : namedZone(rest[0]);
  // Many lines are written within a millisecond.
  let lastAt = NaN;
  let last = '';
  return ({ at }) => {
    if (at !== lastAt) {
      last = write(at, zone);
      lastAt = at;
    }
    return last;
  };
}

/** The zone of the process; a key may set it after patterns are compiled. */
const LOCAL: Zone = {
  get id() {
    return processTimeZone();
  },
  offsetSecondsAt: localOffsetSeconds,
};

function namedZone(id: string): Zone {
  try {
    const zone = zoneOf(id);
    zone.offsetSecondsAt(0);
    return zone;
  } catch {
    throw new BadPattern(
      '%d: the text after the comma is not a time zone; put a pattern that contains a comma in "quotes"',
    );
  }
}

function loggerWord([option]: readonly string[]): LineFormat {
  if (option === undefined) return ({ logger }) => shownText(logger, MAX_NAME_LENGTH);
  if (!/^\d{1,3}$/.test(option)) throw new BadPattern('%logger takes a number of characters, such as %logger{40}');
  const length = Number(option);
  // Bounded by the number of loggers.
  const known = new Map<string, string>();
  return ({ logger }) => {
    let name = known.get(logger);
    if (name === undefined) known.set(logger, (name = shownText(abbreviated(logger, length), MAX_NAME_LENGTH)));
    return name;
  };
}

function contextWord([option]: readonly string[]): LineFormat {
  if (option === undefined) {
    return ({ context }) =>
      CONTEXT_NAMES.flatMap((name) => {
        const value = context?.[name];
        return value === undefined ? [] : [`${name}=${shownText(value, MAX_NAME_LENGTH)}`];
      }).join(', ');
  }
  const [, key = '', otherwise = ''] = /^(.*?)(?::-(.*))?$/s.exec(option) ?? [];
  // An unknown name is accepted: patterns are copied from services that set other names.
  const name = CONTEXT_NAMES.find((each) => each === key.trim());
  if (name === undefined) return () => otherwise;
  return ({ context }) => valueOf(context, name) ?? otherwise;
}

/** The trace of a line, as in the patterns of Spring Boot; nothing without a trace. */
const correlation: LineFormat = ({ context }) =>
  context?.traceId === undefined ? '' : `[${context.traceId}-${context.spanId ?? ''}] `;

function valueOf(context: LogContext | undefined, name: keyof LogContext): string | undefined {
  const value = context?.[name];
  return value === undefined ? undefined : shownText(value, MAX_NAME_LENGTH);
}

function framesOf(depth: string | undefined): number | undefined {
  if (depth === undefined || depth === 'full') return undefined;
  if (depth === 'short') return 1;
  if (!/^\d{1,3}$/.test(depth)) throw new BadPattern('%ex takes full, short or a number of lines, such as %ex{5}');
  return Number(depth);
}

/**
 * Shortens the name of a logger to about `length` characters, as `%logger{n}` does: from the left, parts shrink to their
 * first letter until the rest fits; the last part stays whole. 0 keeps only the last part.
 */
function abbreviated(name: string, length: number): string {
  if (length === 0) return name.slice(name.lastIndexOf('.') + 1);
  if (name.length < length) return name;
  const parts = name.split('.');
  let excess = name.length - length;
  return parts
    .map((part, index) => {
      if (index === parts.length - 1 || excess <= 0 || part === '') return part;
      excess -= part.length - 1;
      return part.charAt(0);
    })
    .join('.');
}
