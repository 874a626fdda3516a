import { ConversionProblem } from '../problem.js';

/** True when a document with this condition is active; names are compared exactly. */
type ProfileTest = (active: ReadonlySet<string>) => boolean;

/** A condition and the profile names it mentions. */
export interface ProfileExpression {
  readonly test: ProfileTest;
  readonly names: readonly string[];
}

/** Maximum nesting of parentheses and `!`, for the stack. */
const MAX_DEPTH = 100;

/**
 * Reads names with `!`, `&`, `|` and parentheses. `&` and `|` need parentheses when both stand on one level
 * (configuration-sources.md, "Files, profiles, imports").
 */
export function parseProfileExpression(text: string): ProfileExpression | ConversionProblem {
  const tokens = text.match(/[()&|!]|[^()&|!\s]+/g) ?? [];
  const names: string[] = [];
  let next = 0;
  let depth = 0;

  function operand(): ProfileTest | ConversionProblem {
    depth += 1;
    const test = depth > MAX_DEPTH ? new ConversionProblem(`nested deeper than ${MAX_DEPTH} levels`) : nested();
    depth -= 1;
    return test;
  }

  function nested(): ProfileTest | ConversionProblem {
    const token = tokens[next++];
    if (token === undefined) return new ConversionProblem('a profile name is missing at the end');
    if (token === '!') {
      const inner = operand();
      return inner instanceof ConversionProblem ? inner : (active) => !inner(active);
    }
    if (token === '(') {
      const inner = level();
      if (inner instanceof ConversionProblem) return inner;
      return tokens[next++] === ')' ? inner : new ConversionProblem('a closing parenthesis is missing');
    }
    if (/[()&|]/.test(token)) return new ConversionProblem(`a profile name is missing before "${token}"`);
    names.push(token);
    return (active) => active.has(token);
  }

  function level(): ProfileTest | ConversionProblem {
    const first = operand();
    if (first instanceof ConversionProblem) return first;
    const operator = tokens[next];
    if (operator !== '&' && operator !== '|') return first;
    const operands = [first];
    while (tokens[next] === '&' || tokens[next] === '|') {
      if (tokens[next] !== operator) return new ConversionProblem('"&" and "|" on one level need parentheses');
      next += 1;
      const another = operand();
      if (another instanceof ConversionProblem) return another;
      operands.push(another);
    }
    return operator === '&'
      ? (active) => operands.every((test) => test(active))
      : (active) => operands.some((test) => test(active));
  }

  const test = level();
  if (test instanceof ConversionProblem) return test;
  if (next < tokens.length) return new ConversionProblem(`"${tokens[next] ?? ''}" is unexpected`);
  return { test, names };
}
