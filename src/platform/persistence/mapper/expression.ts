import { isInheritedName, MISSING, type Scope, valueAt } from './scope.js';

/** A parsed test. */
export type Test = (scope: Scope) => boolean;

type Operand = (scope: Scope) => unknown;
type Comparison = (left: unknown, right: unknown) => boolean;

const both = (signs: string, compare: Comparison): readonly (readonly [string, Comparison])[] =>
  signs.split(' ').map((sign) => [sign, compare]);

/** The words replace signs that XML would have to escape. */
const COMPARISONS: ReadonlyMap<string, Comparison> = new Map([
  ...both('== eq', (left, right) => left === right),
  ...both('!= neq', (left, right) => left !== right),
  ...both('< lt', (left, right) => order(left, right) < 0),
  ...both('<= lte', (left, right) => order(left, right) <= 0),
  ...both('> gt', (left, right) => order(left, right) > 0),
  ...both('>= gte', (left, right) => order(left, right) >= 0),
]);

const PATH = String.raw`(?!(?:and|or|not|n?eq|[lg]te?)\b)[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*(?![\w.(])`;
const OPERAND = String.raw`-?\d+(?:\.\d+)?(?![\w.])|'[^']*'|"[^"]*"|${PATH}`;
const OPERATOR = String.raw`[=!]=|[<>]=?|(?:n?eq|[lg]te?)\b`;
/** `not`, an operand, and a comparison with another operand. */
const TERM = new RegExp(
  String.raw`\s*((?:not\s+)*)(${OPERAND})(?:\s*(${OPERATOR})\s*(${OPERAND}))?\s*(and\b|or\b|$)`,
  'y',
);

/**
 * Parses comparisons that `and` and `or` connect, once; `and` binds more strongly. Nothing in the text is ever run as code.
 *
 * @throws SyntaxError if the text is not such a test
 */
export function parseTest(text: string): Test {
  const alternatives: Test[][] = [[]];
  TERM.lastIndex = 0;
  for (let connective: string | undefined = 'and'; connective;) {
    const start = TERM.lastIndex;
    const match = TERM.exec(text);
    if (!match) throw new SyntaxError(`"${text.slice(start).trim().slice(0, 20)}" is not understood`);
    alternatives.at(-1)?.push(termOf(match));
    connective = match[5];
    if (connective === 'or') alternatives.push([]);
  }
  return (scope) => alternatives.some((terms) => terms.every((term) => term(scope)));
}

function termOf([, negations = '', first = '', sign = '', second = '']: readonly string[]): Test {
  const [left, compare] = [operandOf(first), COMPARISONS.get(sign)];
  const right = compare ? operandOf(second) : left;
  const isNegated = negations.split('not').length % 2 === 0;
  return (scope) => (compare ? compare(left(scope), right(scope)) : isTrue(left(scope))) !== isNegated;
}

const CONSTANTS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['null', null],
  ['true', true],
  ['false', false],
]);

function operandOf(text: string): Operand {
  if (/^['"]/.test(text)) return () => text.slice(1, -1);
  if (/^[-\d]/.test(text)) return () => Number(text);
  if (CONSTANTS.has(text)) return () => CONSTANTS.get(text);
  return pathOf(text);
}

/** The path of a value; a name that does not exist is null. */
export function pathOf(text: string): Operand {
  const names = text.split('.');
  if (!/^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/.test(text) || names.some(isInheritedName)) {
    throw new SyntaxError(`"${text}" is not the name of a parameter`);
  }
  return (scope) => {
    const value = valueAt(scope, names);
    return value === MISSING || value === undefined ? null : value;
  };
}

/** Only false, 0, null and what is missing are false. */
function isTrue(value: unknown): boolean {
  return value !== false && value !== 0 && value !== null;
}

/** Values of different types have no order: a test that compares them is a defect. */
function order(left: unknown, right: unknown): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : Number(left > right);
  if (left === null || right === null) return Number.NaN;
  throw new TypeError('a test compares values of different types');
}
