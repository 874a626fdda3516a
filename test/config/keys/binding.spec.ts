import { describe, expect, it } from 'vitest';
import { ifBound, UnboundValue } from '../../../src/config/bind/unbound.js';
import { PROPERTIES } from '../../../src/apps/server/properties.js';
import { LimitsProperties } from '../failures/limits.properties.js';
import { instanceIn, reading, type Situation } from './situation.js';

const CLASSES = [...PROPERTIES, LimitsProperties];

function limits(situation: Situation): { readonly bound: LimitsProperties; readonly reasons: readonly unknown[] } {
  const read = reading(situation, CLASSES);
  const reasons = read.problems.map(({ facts }) => Object.fromEntries(facts)['Reason']);
  return { bound: instanceIn(read, LimitsProperties), reasons };
}

function args(...values: readonly string[]): Situation {
  return { args: values.map((value) => `--app.sample.${value}`) };
}

describe('binding', () => {
  it('keeps defaults when nothing is set', () => {
    expect(limits({})).toEqual({ bound: { least: 1, usual: 5, greatest: 9 }, reasons: [] });
  });

  it('reports all problems and binds the remaining values', () => {
    const situation = { args: ['--app.sample.least=x', '--app.sample.greatest=y', '--server.port=z'] };

    const { bound, reasons } = limits(situation);

    expect(bound.usual).toBe(5);
    expect(reasons).toEqual(['not a whole number', 'not a whole number', 'not a whole number']);
  });

  it('an unreadable value does not fall back to the default', () => {
    const { bound } = limits(args('least=x'));

    expect(() => bound.least).toThrow(UnboundValue);
    expect(ifBound(() => bound.least, 0)).toBe(0);
    expect(ifBound(() => bound.greatest, 0)).toBe(9);
  });

  it('reports every broken rule of one object', () => {
    expect(limits(args('least=7', 'usual=3', 'greatest=2')).reasons).toEqual([
      'must not be below least, 7',
      'must not be below usual, 3',
    ]);
  });

  it('checks exactly the rules whose values could be read', () => {
    expect(limits(args('least=7', 'usual=3', 'greatest=x')).reasons.toSorted()).toEqual([
      'must not be below least, 7',
      'not a whole number',
    ]);
  });

  it('a rule broken by a default names the default value as its origin', () => {
    const { problems } = reading(args('least=6'), CLASSES);

    expect(problems.map(({ facts }) => Object.fromEntries(facts))).toEqual([
      {
        Property: 'app.sample.usual',
        Value: '"5"',
        Origin: 'default value',
        Reason: 'must not be below least, 6',
      },
    ]);
  });
});
