import { pid } from 'node:process';
import { processTimeZone } from '../../config/read/process-inputs.js';
import { localOffsetSeconds } from '../../clock/local-time.js';
import { compileDatePattern, PatternFault } from '../../encoding/date-pattern.js';
import { type Zone, zoneOf } from '../../encoding/zone.js';
import { abbreviated } from './abbreviate.js';
import { type Color, COLOR_OF_LEVEL, colored, COLORS } from './color.js';
import { CONTEXT_NAMES, type LogContext } from '../log-context.js';
import type { LineFormat } from '../log-line.js';
import { BadPattern, parsePattern, type Piece, type Width } from './pattern-syntax.js';
import { shownMessage, shownText } from '../format/shown-text.js';
import { thrownText } from '../format/thrown.js';

/** What a pattern is compiled for. */
export interface PatternTarget {
  /** True of a terminal. */
  readonly hasColor: boolean;
}

type Show = LineFormat;
type Word = (options: readonly string[]) => Show;

const MAX_NAME_LENGTH = 200;
/** Of one that is none, in a report. */
const MAX_WORD_LENGTH = 40;
/** Without an option, as engines have it (ISO 8601 but for the blank and the comma). */
const DATE = 'yyyy-MM-dd HH:mm:ss,SSS';
const NAMED_DATES: Readonly<Record<string, string>> = { ISO8601: DATE, STRICT: "yyyy-MM-dd'T'HH:mm:ss,SSS" };

const thrownWord: Word = ([depth]) => {
  const frames = framesOf(depth);
  return ({ error }) => (error === undefined ? '' : thrownText(error, frames));
};

const WORDS: Readonly<Record<string, Word>> = {
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
  ...named('ex exception throwable xEx xException xThrowable', thrownWord),
  ...named('wEx', (options) => {
    const show = thrownWord(options);
    return (line) => (line.error === undefined ? '' : `\n${show(line)}\n`);
  }),
  ...named('nopex nopexception', () => () => ''),
};
/** Of these, one is behind every pattern that has none, so that no error is lost. */
const OF_THROWN = new Set([
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
const COLOR_WORD = 'clr';
/** Words for messages. */
export const PATTERN_WORDS = '%d %level %logger %thread %pid %msg %n %X %ex %wEx %nopex %clr(…)';

/** @throws BadPattern */
export function compilePattern(pattern: string, target: PatternTarget): LineFormat {
  const pieces = parsePattern(pattern);
  const show = shownPieces(pieces, target);
  if (hasThrown(pieces)) return show;
  const showThrown = thrownWord([]);
  return (line) => (line.error === undefined ? show(line) : show(line) + showThrown(line));
}

function named(names: string, word: Word): Readonly<Record<string, Word>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, word]));
}

function hasThrown(pieces: readonly Piece[]): boolean {
  return pieces.some((piece) => {
    if (piece.kind === 'group') return hasThrown(piece.pieces);
    return piece.kind === 'word' && OF_THROWN.has(piece.word);
  });
}

function shownPieces(pieces: readonly Piece[], target: PatternTarget): Show {
  const all = pieces.map((piece) => shownPiece(piece, target));
  const [only] = all;
  if (all.length === 1 && only) return only;
  return (line) => {
    let text = '';
    for (const show of all) text += show(line);
    return text;
  };
}

function shownPiece(piece: Piece, target: PatternTarget): Show {
  if (piece.kind === 'text') return () => piece.text;
  return piece.kind === 'word' ? wide(wordOf(piece), piece.width) : groupOf(piece, target);
}

function wordOf({ word, options }: Extract<Piece, { kind: 'word' }>): Show {
  const make = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
  if (!make) throw new BadPattern(`there is no word %${word.slice(0, MAX_WORD_LENGTH)}: known are ${PATTERN_WORDS}`);
  return make(options);
}

function groupOf({ word, options, pieces, width }: Extract<Piece, { kind: 'group' }>, target: PatternTarget): Show {
  if (word !== '' && word !== COLOR_WORD) {
    throw new BadPattern(`%${word} stands before parentheses, which only % and %${COLOR_WORD} do`);
  }
  const show = wide(shownPieces(pieces, target), width);
  if (word === '') return show;
  const color = colorOf(options[0]);
  if (!target.hasColor) return show;
  return (line) => colored(show(line), color ?? COLOR_OF_LEVEL[line.level]);
}

function colorOf(option: string | undefined): Color | undefined {
  if (option === undefined) return undefined;
  const color = COLORS.find((each) => each === option);
  if (!color) throw new BadPattern(`there is no color {${option}}: known are ${COLORS.join(', ')}`);
  return color;
}

function wide(show: Show, { least, most, fillsBehind, cutsEnd }: Width): Show {
  if (least === 0 && most === Infinity) return show;
  return (line) => {
    let text = show(line);
    if (text.length > most) text = cutsEnd ? text.slice(0, most) : text.slice(text.length - most);
    return fillsBehind ? text.padEnd(least) : text.padStart(least);
  };
}

function dateWord([pattern = DATE, ...rest]: readonly string[]): Show {
  if (rest.length > 1)
    throw new BadPattern('%d has a pattern and a zone; put a pattern with a comma in it in "quotes"');
  const write = compileDatePattern(NAMED_DATES[pattern] ?? (pattern || DATE));
  if (write instanceof PatternFault) throw new BadPattern(`%d: ${write.reason}`);
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

/** The zone of the process, which a key may set after patterns are read. */
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
    throw new BadPattern('%d: behind its comma stands no time zone; put a pattern with a comma in it in "quotes"');
  }
}

function loggerWord([option]: readonly string[]): Show {
  if (option === undefined) return ({ logger }) => shownText(logger, MAX_NAME_LENGTH);
  if (!/^\d{1,3}$/.test(option)) throw new BadPattern('%logger takes a number of characters, such as %logger{40}');
  const length = Number(option);
  // As many as there are loggers.
  const known = new Map<string, string>();
  return ({ logger }) => {
    let name = known.get(logger);
    if (name === undefined) known.set(logger, (name = shownText(abbreviated(logger, length), MAX_NAME_LENGTH)));
    return name;
  };
}

function contextWord([option]: readonly string[]): Show {
  if (option === undefined) {
    return ({ context }) =>
      CONTEXT_NAMES.flatMap((name) => {
        const value = context?.[name];
        return value === undefined ? [] : [`${name}=${shownText(value, MAX_NAME_LENGTH)}`];
      }).join(', ');
  }
  const [, key = '', otherwise = ''] = /^(.*?)(?::-(.*))?$/s.exec(option) ?? [];
  // One that nobody sets is no mistake: patterns are carried over from services that set others.
  const name = CONTEXT_NAMES.find((each) => each === key.trim());
  if (name === undefined) return () => otherwise;
  return ({ context }) => valueOf(context, name) ?? otherwise;
}

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

/** What is wrong with a pattern; undefined where nothing is. */
export function patternFault(pattern: string): string | undefined {
  try {
    compilePattern(pattern, { hasColor: false });
    return undefined;
  } catch (error) {
    if (error instanceof BadPattern) return error.message;
    throw error;
  }
}
