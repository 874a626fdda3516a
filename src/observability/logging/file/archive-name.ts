import { basename, dirname, join } from 'node:path';
import type { ScalarType } from '../../../config/bind/key-type.js';
import { ConversionProblem } from '../../../config/problem.js';

/** The parts of the name of an archive. */
export interface ArchiveName {
  readonly day: string;
  /** Number within the day, from 0. */
  readonly index: number;
  /** `plain` is not compressed yet; `unfinished` is left from a crash or in use by another process. */
  readonly state: 'plain' | 'compressed' | 'unfinished';
}

const GZIP_SUFFIX = '.gz';
const UNFINISHED = '.tmp';
/** The parts of a date in a pattern. */
const DATE_LETTERS = /yyyy|MM|dd/g;
const DATE_GROUPS: Readonly<Record<string, string>> = {
  yyyy: String.raw`(?<year>\d{4})`,
  MM: String.raw`(?<month>\d{2})`,
  dd: String.raw`(?<date>\d{2})`,
};
const DEFAULT_DATE = 'yyyy-MM-dd';

/** Names of archives by a pattern with `%d` or `%d{yyyy-MM-dd}` for the day and `%i` for its parts. */
export class ArchiveNames {
  readonly folder: string;
  /** True if archives are compressed with gzip. */
  readonly isCompressed: boolean;
  private readonly pieces: readonly string[];
  private readonly form: RegExp;

  /** The folder of the pattern is relative to the working folder unless it starts with `/`. */
  constructor(pattern: string) {
    this.folder = dirname(pattern);
    this.isCompressed = pattern.endsWith(GZIP_SUFFIX);
    const name = basename(pattern);
    this.pieces = (this.isCompressed ? name.slice(0, -GZIP_SUFFIX.length) : name).split(/(%d(?:\{[^}]*\})?|%i)/);
    const form = this.pieces.map((piece) => {
      if (piece === '%i') return String.raw`(?<index>\d{1,9})`;
      return isDate(piece) ? dateForm(piece) : literal(piece);
    });
    this.form = new RegExp(
      `^${form.join('')}(?:(?<compressed>${literal(GZIP_SUFFIX)})(?<unfinished>${literal(UNFINISHED)})?)?$`,
    );
  }

  /** The path of an archive before it is compressed. */
  plainPath(day: string, index: number): string {
    const [year = '', month = '', date = ''] = day.split('-');
    const parts: Readonly<Record<string, string>> = { yyyy: year, MM: month, dd: date };
    const name = this.pieces.map((piece) => {
      if (piece === '%i') return String(index);
      return isDate(piece) ? dateOf(piece).replaceAll(DATE_LETTERS, (letters) => parts[letters] ?? letters) : piece;
    });
    return join(this.folder, name.join(''));
  }

  compressedPath(plainPath: string): string {
    return this.isCompressed ? plainPath + GZIP_SUFFIX : plainPath;
  }

  /** The path of an archive while it is being compressed. */
  temporaryPath(plainPath: string): string {
    return this.compressedPath(plainPath) + UNFINISHED;
  }

  /** Parses a file name; undefined if it is not the name of an archive. */
  read(name: string): ArchiveName | undefined {
    const groups = this.form.exec(name)?.groups;
    if (!groups || (groups['compressed'] !== undefined && !this.isCompressed)) return undefined;
    const { year = '', month = '', date = '', index = '', compressed, unfinished } = groups;
    const state = compressed === undefined ? 'plain' : unfinished === undefined ? 'compressed' : 'unfinished';
    return { day: [year, month, date].join('-'), index: Number(index), state };
  }
}

/** The type of a key whose value is a pattern for names of archives. */
export const archivePattern: ScalarType<string> = {
  shape: 'scalar',
  name: 'text',
  expects: 'a path such as /var/log/login/service.log.%d{yyyy-MM-dd}.%i.gz',
  parse: (text) => {
    const reason = patternProblem(text);
    return reason === undefined ? text : new ConversionProblem(reason);
  },
  format: (value) => value,
};

function patternProblem(text: string): string | undefined {
  const name = basename(text);
  const tokens: readonly string[] = name.match(/%(?:d(?:\{[^}]*\})?|.?)/g) ?? [];
  const dates = tokens.filter(isDate);
  const other = tokens.find((token) => token !== '%i' && !isDate(token));
  if (dirname(text).includes('%'))
    return '%d and %i are allowed only in the name of the file, not in that of its folder';
  if (other !== undefined) return `${other} is not one of %d and %i`;
  if (dates.length !== 1) return 'it must contain the day, %d or %d{yyyy-MM-dd}, exactly once';
  if (tokens.filter((token) => token === '%i').length !== 1)
    return 'it must contain %i, the number of the file within its day, exactly once';
  const letters = dateOf(dates[0] ?? '').match(/yyyy|MM|dd|[A-Za-z]/g) ?? [];
  if (letters.toSorted().join() !== 'MM,dd,yyyy')
    return 'a date must contain yyyy, MM and dd, each once, because every day has its own file';
  return /\.(?:zip|xz|bz2|zst)$/i.test(name)
    ? 'files are compressed with gzip only: end the name with .gz, or with another ending for uncompressed files'
    : undefined;
}

function isDate(piece: string): boolean {
  return /^%d(?:\{[^}]*\})?$/.test(piece);
}

function dateOf(piece: string): string {
  return piece === '%d' ? DEFAULT_DATE : piece.slice('%d{'.length, -1);
}

function dateForm(piece: string): string {
  return dateOf(piece)
    .split(/(yyyy|MM|dd)/)
    .map((part) => DATE_GROUPS[part] ?? literal(part))
    .join('');
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
