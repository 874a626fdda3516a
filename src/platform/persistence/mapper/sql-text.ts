import { type Position, positionIn } from '../../../config/read/origin.js';
import { isInheritedName } from './scope.js';

/** A part of the text of a statement. */
export type SqlPart =
  | { readonly kind: 'sql'; readonly sql: string }
  /** `#{path}`: a bound value. */
  | { readonly kind: 'value'; readonly path: readonly string[] }
  /** `${name}`: one of the texts that the program allows. */
  | { readonly kind: 'text'; readonly name: string };

export interface SqlTextProblem {
  readonly at: Position;
  readonly reason: string;
}

const REFERENCE = /([#$])\{([^}]*)(\}?)/g;
const PATH = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/;
/** Splits the text between two tags into SQL and references. */
export function readSqlText(text: string, at: Position, addFault: (fault: SqlTextProblem) => void): readonly SqlPart[] {
  const parts: SqlPart[] = [];
  const place = (index: number): Position => {
    const lines = text.slice(0, index).split('\n');
    const column = lines.length === 1 ? at.column + index : (lines.at(-1)?.length ?? 0) + 1;
    return positionIn(at.resource, at.line + lines.length - 1, column);
  };
  let last = 0;
  const addSql = (end: number): void => {
    const sql = text.slice(last, end);
    const mark = sql.indexOf('?');
    if (mark !== -1) addFault({ at: place(last + mark), reason: 'write #{name} for a value; "?" is not accepted' });
    if (sql !== '') parts.push({ kind: 'sql', sql });
  };
  for (const { 0: whole, 1: sign = '', 2: inside = '', 3: end, index } of text.matchAll(REFERENCE)) {
    addSql(index);
    last = index + whole.length;
    const before = text.slice(0, index);
    const part = end === '' ? 'a "}" is missing' : isQuoted(before) ? QUOTED : partOf(sign, inside.trim());
    if (typeof part === 'string') addFault({ at: place(index), reason: part });
    else parts.push(part);
  }
  addSql(text.length);
  return parts;
}

const QUOTED = 'a reference inside quotes would not be bound';

/** True behind an odd number of quotes of one kind. */
function isQuoted(before: string): boolean {
  return ["'", '"', '`'].some((quote) => before.split(quote).length % 2 === 0);
}

function partOf(sign: string, inside: string): SqlPart | string {
  if (sign === '$') {
    return PATH.test(inside) && !inside.includes('.') && !isInheritedName(inside)
      ? { kind: 'text', name: inside }
      : `\${${inside}} is not the name of a text`;
  }
  const [path = '', ...options] = inside.split(',').map((piece) => piece.trim());
  const names = path.split('.');
  if (!PATH.test(path) || names.some(isInheritedName)) return `#{${inside}} is not the name of a parameter`;
  // The driver binds values of any type, so that a type is read and has no effect.
  if (options.some((option) => !/^jdbcType\s*=\s*[A-Z]+$/.test(option)))
    return `the only option of #{${path}} is jdbcType`;
  return { kind: 'value', path: names };
}
