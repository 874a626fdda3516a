import { Mismatch } from '../bind/mismatch.js';

/** True when a document with this condition is active; names are compared exactly. */
export type ProfileTest = (active: ReadonlySet<string>) => boolean;

/** A condition and the profile names it mentions. */
export interface ProfileExpression {
  readonly test: ProfileTest;
  readonly names: readonly string[];
}

/** More parentheses and `!` than anybody writes, and few enough for the stack. */
const DEEPEST = 100;

/**
 * Reads names with `!`, `&`, `|` and parentheses. `&` and `|` need parentheses when both stand on one level
 * (configuration-sources.md, "Files, profiles, imports").
 */
export function parseProfileExpression(text: string): ProfileExpression | Mismatch {
  const tokens = text.match(/[()&|!]|[^()&|!\s]+/g) ?? [];
  const names: string[] = [];
  let next = 0;
  let depth = 0;

  function operand(): ProfileTest | Mismatch {
    depth += 1;
    const test = depth > DEEPEST ? new Mismatch(`nested deeper than ${DEEPEST} levels`) : nested();
    depth -= 1;
    return test;
  }

  function nested(): ProfileTest | Mismatch {
    const token = tokens[next++];
    if (token === undefined) return new Mismatch('a profile name is missing at the end');
    if (token === '!') {
      const inner = operand();
      return inner instanceof Mismatch ? inner : (active) => !inner(active);
    }
    if (token === '(') {
      const inner = level();
      if (inner instanceof Mismatch) return inner;
      return tokens[next++] === ')' ? inner : new Mismatch('a closing parenthesis is missing');
    }
    if (/[()&|]/.test(token)) return new Mismatch(`a profile name is missing before "${token}"`);
    names.push(token);
    return (active) => active.has(token);
  }

  function level(): ProfileTest | Mismatch {
    const first = operand();
    if (first instanceof Mismatch) return first;
    const operator = tokens[next];
    if (operator !== '&' && operator !== '|') return first;
    const operands = [first];
    while (tokens[next] === '&' || tokens[next] === '|') {
      if (tokens[next] !== operator) return new Mismatch('"&" and "|" on one level need parentheses');
      next += 1;
      const another = operand();
      if (another instanceof Mismatch) return another;
      operands.push(another);
    }
    return operator === '&'
      ? (active) => operands.every((test) => test(active))
      : (active) => operands.some((test) => test(active));
  }

  const test = level();
  if (test instanceof Mismatch) return test;
  if (next < tokens.length) return new Mismatch(`"${tokens[next] ?? ''}" is one too many`);
  return { test, names };
}
