/** Thrown for an invalid pattern; the message quotes at most the invalid conversion word. */
export class BadPattern extends Error {}

/** The width of a piece, as in `%-20.30word`. */
export interface Width {
  /** Minimum number of characters; a shorter text is padded with blanks. */
  readonly min: number;
  /** Maximum number of characters. */
  readonly max: number;
  /** True if blanks follow the text, written as `-`. */
  readonly fillsBehind: boolean;
  /** True if a text that is too long loses its end, written as `.-`; otherwise it loses its beginning. */
  readonly cutsEnd: boolean;
}

/** A piece of a pattern: text, a conversion word such as `%level`, or a group in parentheses after `%` or a word. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'word'; readonly word: string; readonly options: readonly string[]; readonly width: Width }
  | {
      readonly kind: 'group';
      /** Empty if only `%` precedes the group. */
      readonly word: string;
      readonly options: readonly string[];
      readonly pieces: readonly Piece[];
      readonly width: Width;
    };

const WIDTH = /(?<fill>-?)(?<min>\d*)(?:\.(?<cut>-?)(?<max>\d+))?/y;
const WORD = /[A-Za-z][A-Za-z0-9]*/y;
const OPTIONS = /\{((?:"[^"]*"|'[^']*'|[^}"'])*)\}/y;
/** Maximum width of a column. */
const MAX_WIDTH = 1000;
const MAX_DEPTH = 8;

/**
 * Parses a pattern in the language of logging engines.
 * @throws BadPattern
 */
export function parsePattern(pattern: string): readonly Piece[] {
  const reader = new Reader(pattern);
  const pieces = reader.pieces(0);
  if (!reader.isAtEnd)
    throw new BadPattern(`character ${reader.position + 1}: a ) without (; write \\) for a parenthesis`);
  return pieces;
}

class Reader {
  private at = 0;

  constructor(private readonly pattern: string) {}

  get isAtEnd(): boolean {
    return this.at >= this.pattern.length;
  }

  get position(): number {
    return this.at;
  }

  /** Reads pieces up to the end of the pattern or to the parenthesis that closes the group. */
  pieces(depth: number): readonly Piece[] {
    if (depth > MAX_DEPTH) throw new BadPattern(`parentheses are nested more than ${MAX_DEPTH} deep`);
    const pieces: Piece[] = [];
    let text = '';
    let open = 0;
    const endText = (): void => {
      if (text !== '') pieces.push({ kind: 'text', text });
      text = '';
    };
    while (!this.isAtEnd) {
      const char = this.pattern.charAt(this.at);
      if (char === '%' && this.pattern.charAt(this.at + 1) !== '%') {
        endText();
        this.at += 1;
        pieces.push(this.conversion(depth));
        continue;
      }
      if (char === ')' && depth > 0 && open === 0) break;
      // A pair of parentheses inside a group is text.
      if (depth > 0 && char === '(') open += 1;
      if (depth > 0 && char === ')') open -= 1;
      if (char === '\\') text += this.escaped();
      else text += char;
      this.at += char === '%' || char === '\\' ? 2 : 1;
    }
    endText();
    return pieces;
  }

  private escaped(): string {
    const next = this.pattern.charAt(this.at + 1);
    if (next === 'n') return '\n';
    if (next === 't') return '\t';
    if (next === '_' || next === '') return '';
    return next;
  }

  private conversion(depth: number): Piece {
    const start = this.at;
    const width = this.width();
    const [word = ''] = this.take(WORD) ?? [];
    if (this.pattern.charAt(this.at) === '(') {
      this.at += 1;
      const pieces = this.pieces(depth + 1);
      if (this.pattern.charAt(this.at) !== ')') throw new BadPattern(`character ${start}: the group has no closing )`);
      this.at += 1;
      return { kind: 'group', word, options: this.options(), pieces, width };
    }
    if (word === '') throw new BadPattern(`character ${start}: % without a word; write %% for a percent sign`);
    return { kind: 'word', word, options: this.options(), width };
  }

  private width(): Width {
    const { fill, min, cut, max } = this.take(WIDTH)?.groups ?? {};
    const width = {
      min: Number(min ?? 0),
      max: max === undefined ? Infinity : Number(max),
      fillsBehind: fill === '-',
      cutsEnd: cut === '-',
    };
    if (width.min > MAX_WIDTH || (width.max > MAX_WIDTH && width.max !== Infinity)) {
      throw new BadPattern(`character ${this.at}: the width exceeds ${MAX_WIDTH}`);
    }
    return width;
  }

  /** Reads options in braces, separated by commas; an option that contains a comma is quoted. */
  private options(): readonly string[] {
    if (this.pattern.charAt(this.at) !== '{') return [];
    const start = this.at;
    const found = this.take(OPTIONS);
    if (!found) throw new BadPattern(`character ${start + 1}: the { has no closing }`);
    return splitOptions(found[1] ?? '');
  }

  private take(form: RegExp): RegExpExecArray | undefined {
    form.lastIndex = this.at;
    const found = form.exec(this.pattern);
    if (found) this.at += found[0].length;
    return found ?? undefined;
  }
}

function splitOptions(text: string): readonly string[] {
  const options = text.match(/(?:"[^"]*"|'[^']*'|[^,"'])+/g) ?? [];
  return options.map((option) => option.trim().replace(/^"(.*)"$/s, '$1'));
}
