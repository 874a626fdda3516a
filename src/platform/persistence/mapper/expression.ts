import { isInheritedName, MISSING, type Scope } from './scope.js';

/** A parsed test. */
export type Expression = (scope: Scope) => unknown;

/** Why a text is no expression. */
export class ExpressionProblem {
  constructor(readonly reason: string) {}
}

/** No expression needs more; deeper ones would exhaust the stack. */
const MAX_LENGTH = 1000;
const TOKEN = /\s*(?:(\d+(?:\.\d+)?)(?![\w.])|'([^']*)'|"([^"]*)"|([A-Za-z_]\w*)|(==|!=|<=|>=|&&|\|\||[-<>!().]))/y;

type Token =
  | { readonly kind: 'number' | 'text'; readonly text: string }
  | { readonly kind: 'name' | 'sign'; readonly text: string };

/** Words in place of signs that XML would have to escape. */
const WORDS: Readonly<Record<string, string>> = {
  ...{ and: '&&', or: '||', not: '!', eq: '==', neq: '!=', lt: '<', lte: '<=', gt: '>', gte: '>=' },
};
const CONSTANTS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['null', null],
  ['true', true],
  ['false', false],
]);

/** Parses an expression once; nothing in it is ever run as code. */
export function parseExpression(text: string): Expression | ExpressionProblem {
  if (text.length > MAX_LENGTH) return new ExpressionProblem(`it is longer than ${MAX_LENGTH} characters`);
  try {
    return new Parser(tokensOf(text)).whole();
  } catch (error) {
    if (error instanceof SyntaxError) return new ExpressionProblem(error.message);
    throw error;
  }
}

/** True for true, and for a number other than 0, a text or another value; false for null and for what is missing. */
export function isTrue(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return value !== 0;
  return value !== null && value !== undefined;
}

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < end) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (!match) throw new SyntaxError(`"${text.slice(at).trim().slice(0, 20)}" is not understood`);
    const [, number, single, double, name, sign] = match;
    if (number !== undefined) tokens.push({ kind: 'number', text: number });
    else if (name !== undefined) {
      const word = Object.hasOwn(WORDS, name) && tokens.at(-1)?.text !== '.' ? WORDS[name] : undefined;
      tokens.push(word === undefined ? { kind: 'name', text: name } : { kind: 'sign', text: word });
    } else if (sign !== undefined) tokens.push({ kind: 'sign', text: sign });
    else tokens.push({ kind: 'text', text: single ?? double ?? '' });
  }
  return tokens;
}

type Operator = (left: unknown, right: unknown) => unknown;

const COMPARISONS: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['==', (left, right) => left === right],
  ['!=', (left, right) => left !== right],
  ['<', (left, right) => order(left, right) < 0],
  ['<=', (left, right) => order(left, right) <= 0],
  ['>', (left, right) => order(left, right) > 0],
  ['>=', (left, right) => order(left, right) >= 0],
]);

/** A recursive descent; each method parses one level of precedence. */
class Parser {
  private at = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  whole(): Expression {
    const expression = this.alternatives();
    const rest = this.tokens[this.at];
    if (rest) throw new SyntaxError(`"${rest.text}" is not expected`);
    return expression;
  }

  private alternatives(): Expression {
    let left = this.conjunction();
    while (this.takes('||')) {
      const [first, second] = [left, this.conjunction()];
      left = (scope) => isTrue(first(scope)) || isTrue(second(scope));
    }
    return left;
  }

  private conjunction(): Expression {
    let left = this.negation();
    while (this.takes('&&')) {
      const [first, second] = [left, this.negation()];
      left = (scope) => isTrue(first(scope)) && isTrue(second(scope));
    }
    return left;
  }

  private negation(): Expression {
    if (!this.takes('!')) return this.comparison();
    const negated = this.negation();
    return (scope) => !isTrue(negated(scope));
  }

  private comparison(): Expression {
    const left = this.operand();
    const compare = COMPARISONS.get(this.sign());
    if (!compare) return left;
    this.at += 1;
    const right = this.operand();
    return (scope) => compare(left(scope), right(scope));
  }

  private operand(): Expression {
    if (this.takes('(')) {
      const inner = this.alternatives();
      this.expect(')');
      return inner;
    }
    const isNegative = this.takes('-');
    const token = this.tokens[this.at];
    this.at += 1;
    if (token?.kind === 'number') {
      const number = isNegative ? -Number(token.text) : Number(token.text);
      return () => number;
    }
    if (token === undefined) throw new SyntaxError('it ends too early');
    if (isNegative || token.kind === 'sign') throw new SyntaxError(`"${token.text}" is not expected`);
    if (token.kind === 'text') return () => token.text;
    if (!CONSTANTS.has(token.text)) return this.path(token.text);
    const constant = CONSTANTS.get(token.text);
    return () => constant;
  }

  private path(first: string): Expression {
    const names = [checkedName(first)];
    while (this.takes('.')) {
      const token = this.tokens[this.at];
      if (token?.kind !== 'name') throw new SyntaxError('a name is expected after "."');
      this.at += 1;
      names.push(checkedName(token.text));
    }
    if (this.sign() === '(') throw new SyntaxError(`${names.join('.')}() is no function`);
    return (scope) => {
      const value = scope.at(names);
      return value === MISSING || value === undefined ? null : value;
    };
  }

  private sign(): string {
    const token = this.tokens[this.at];
    return token?.kind === 'sign' ? token.text : '';
  }

  private takes(sign: string): boolean {
    if (this.sign() !== sign) return false;
    this.at += 1;
    return true;
  }

  private expect(sign: string): void {
    if (!this.takes(sign)) throw new SyntaxError(`"${sign}" is missing`);
  }
}

function checkedName(name: string): string {
  if (isInheritedName(name)) throw new SyntaxError(`${name} is no name of a parameter`);
  return name;
}

/** Values of different types have no order: a test that compares them is a defect. */
function order(left: unknown, right: unknown): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : Number(left > right);
  if (left === null || right === null) return Number.NaN;
  throw new TypeError('a test compares values of different types');
}
