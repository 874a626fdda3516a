import type { ScalarType } from '../../../config/bind/key-type.js';
import { ConversionProblem } from '../../../config/problem.js';
import type { LineLevel } from '../level.js';
import type { LineFormat } from '../log-line.js';
import { BadPattern, parsePattern, type Piece, type Width } from './pattern-syntax.js';
import { THROWN_WORDS, thrownWord, WORDS } from './pattern-words.js';

const PATTERN_WORDS = '%d %level %logger %thread %pid %msg %n %X %correlationId %ex %wEx %nopex %clr(…)';
/** Maximum length of the part of an unknown word that a message quotes. */
const MAX_WORD_LENGTH = 40;
const COLOR_WORD = 'clr';
const COLOR_CODES = {
  faint: 2,
  black: 30,
  red: 31,
  green: 32,
  yellow: 33,
  blue: 34,
  magenta: 35,
  cyan: 36,
  white: 37,
  bright_black: 90,
  bright_red: 91,
  bright_green: 92,
  bright_yellow: 93,
  bright_blue: 94,
  bright_magenta: 95,
  bright_cyan: 96,
  bright_white: 97,
} as const;

type Color = keyof typeof COLOR_CODES;
const COLORS = Object.keys(COLOR_CODES) as readonly Color[];

/** Colors of `%clr` without an option. */
const COLOR_OF_LEVEL: Readonly<Record<LineLevel, Color>> = {
  ERROR: 'red',
  WARN: 'yellow',
  INFO: 'green',
  DEBUG: 'green',
  TRACE: 'green',
};

/** The type of a key whose value is a pattern in the language of logging engines. */
export const logPattern: ScalarType<string> = {
  shape: 'scalar',
  name: 'log pattern',
  expects: `a pattern of the words ${PATTERN_WORDS}, such as %d %-5level %logger : %msg%n`,
  parse: (value) => {
    if (!/\S/.test(value)) return new ConversionProblem('empty');
    try {
      compilePattern(value, { hasColor: false });
      return value;
    } catch (error) {
      if (error instanceof BadPattern) return new ConversionProblem(error.message);
      throw error;
    }
  },
  format: (value) => value,
};

/** The output for which a pattern is compiled. */
export interface PatternTarget {
  /** True if the output is a terminal. */
  readonly hasColor: boolean;
}

/**
 * Compiles a pattern into the function that formats a line.
 * @throws BadPattern
 */
export function compilePattern(pattern: string, target: PatternTarget): LineFormat {
  const pieces = parsePattern(pattern);
  const show = shownPieces(pieces, target);
  if (hasThrown(pieces)) return show;
  const showThrown = thrownWord([]);
  return (line) => (line.error === undefined ? show(line) : show(line) + showThrown(line));
}

function hasThrown(pieces: readonly Piece[]): boolean {
  return pieces.some((piece) => {
    if (piece.kind === 'group') return hasThrown(piece.pieces);
    return piece.kind === 'word' && THROWN_WORDS.has(piece.word);
  });
}

function shownPieces(pieces: readonly Piece[], target: PatternTarget): LineFormat {
  const all = pieces.map((piece) => shownPiece(piece, target));
  const [only] = all;
  if (all.length === 1 && only) return only;
  return (line) => {
    let text = '';
    for (const show of all) text += show(line);
    return text;
  };
}

function shownPiece(piece: Piece, target: PatternTarget): LineFormat {
  if (piece.kind === 'text') return () => piece.text;
  return piece.kind === 'word' ? wide(wordOf(piece), piece.width) : groupOf(piece, target);
}

function wordOf({ word, options }: Extract<Piece, { kind: 'word' }>): LineFormat {
  const make = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
  if (!make)
    throw new BadPattern(`unknown word %${word.slice(0, MAX_WORD_LENGTH)}; the known words are ${PATTERN_WORDS}`);
  return make(options);
}

function groupOf(
  { word, options, pieces, width }: Extract<Piece, { kind: 'group' }>,
  target: PatternTarget,
): LineFormat {
  if (word !== '' && word !== COLOR_WORD) {
    throw new BadPattern(`%${word} cannot be followed by parentheses; only % and %${COLOR_WORD} can`);
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
  if (!color) throw new BadPattern(`unknown color {${option}}; the known colors are ${COLORS.join(', ')}`);
  return color;
}

/** Colors a text for terminals (ECMA-48, "Select graphic rendition"). */
function colored(text: string, color: Color): string {
  return `\u001b[${COLOR_CODES[color]}m${text}\u001b[0;39m`;
}

function wide(show: LineFormat, { min, max, fillsBehind, cutsEnd }: Width): LineFormat {
  if (min === 0 && max === Infinity) return show;
  return (line) => {
    let text = show(line);
    if (text.length > max) text = cutsEnd ? text.slice(0, max) : text.slice(text.length - max);
    return fillsBehind ? text.padEnd(min) : text.padStart(min);
  };
}
