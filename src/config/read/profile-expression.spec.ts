import { describe, expect, it } from 'vitest';
import { fc } from '../../../test/support/runner/property.js';
import { ConversionProblem } from '../problem.js';
import { parseProfileExpression, type ProfileExpression } from './profile-expression.js';

function parsed(text: string): ProfileExpression {
  const expression = parseProfileExpression(text);
  if (expression instanceof ConversionProblem) throw new TypeError(`${text}: ${expression.reason}`);
  return expression;
}

describe('a profile expression', () => {
  it.each([
    ['prod', ['prod'], true],
    ['prod', [], false],
    ['prod', ['PROD'], false],
    ['!prod', [], true],
    ['! prod', ['prod'], false],
    ['!!prod', ['prod'], true],
    ['prod & eu', ['prod', 'eu'], true],
    ['prod&eu', ['prod'], false],
    ['prod | eu', ['eu'], true],
    ['prod|eu', [], false],
    ['prod & (eu | us)', ['prod', 'us'], true],
    ['prod & (eu | us)', ['us'], false],
    ['(prod & eu) | us', ['us'], true],
    ['!(prod | eu) & us', ['us'], true],
    ['((prod))', ['prod'], true],
    ['eu-west_1.a+b@c', ['eu-west_1.a+b@c'], true],
  ])('%s for the active profiles %j is %s', (text, active, result) => {
    expect(parsed(text).test(new Set(active))).toBe(result);
  });

  it('lists the names it mentions, including negated ones', () => {
    expect(parsed('!prod & (eu | us)').names).toEqual(['prod', 'eu', 'us']);
  });

  it.each([
    '',
    ' ',
    '&',
    'a &',
    '& a',
    'a & b | c',
    'a | b & c',
    'a & (b | c & d)',
    '(a',
    'a)',
    '()',
    '!',
    'a b',
    'a !b',
  ])('is rejected as "%s"', (text) => {
    expect(parseProfileExpression(text)).toBeInstanceOf(ConversionProblem);
  });

  it('is rejected if it is nested too deeply', () => {
    expect(parseProfileExpression('!'.repeat(1_000_000))).toBeInstanceOf(ConversionProblem);
    expect(parseProfileExpression(`${'('.repeat(200)}a${')'.repeat(200)}`)).toBeInstanceOf(ConversionProblem);
    expect(parsed(`${'('.repeat(50)}a${')'.repeat(50)}`).test(new Set(['a']))).toBe(true);
  });

  it('evaluates like the equivalent expression in JavaScript', () => {
    interface Pair {
      readonly text: string;
      readonly holds: (active: ReadonlySet<string>) => boolean;
    }
    const { expression } = fc.letrec<{ expression: Pair; name: Pair; not: Pair; and: Pair; or: Pair }>((tie) => {
      const operands = fc.array(tie('expression'), { minLength: 2, maxLength: 4 });
      const joined = (operator: string, list: readonly Pair[]): string =>
        list.map(({ text }) => `(${text})`).join(` ${operator} `);
      return {
        expression: fc.oneof({ maxDepth: 4 }, tie('name'), tie('not'), tie('and'), tie('or')),
        name: fc.constantFrom('a', 'b', 'c').map((text) => ({ text, holds: (active) => active.has(text) })),
        not: tie('expression').map(({ text, holds }) => ({ text: `!(${text})`, holds: (active) => !holds(active) })),
        and: operands.map((list) => ({
          text: joined('&', list),
          holds: (active) => list.every(({ holds }) => holds(active)),
        })),
        or: operands.map((list) => ({
          text: joined('|', list),
          holds: (active) => list.some(({ holds }) => holds(active)),
        })),
      };
    });
    fc.assert(
      fc.property(expression, fc.subarray(['a', 'b', 'c']), ({ text, holds }, active) => {
        expect(parsed(text).test(new Set(active))).toBe(holds(new Set(active)));
      }),
    );
  });

  it('is either rejected or evaluated for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'b', ' ', '!', '&', '|', '(', ')') }), (text) => {
        const expression = parseProfileExpression(text);
        expect(expression instanceof ConversionProblem || typeof expression.test(new Set()) === 'boolean').toBe(true);
      }),
    );
  });
});
