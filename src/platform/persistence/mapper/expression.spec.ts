import { describe, expect, it } from 'vitest';
import { parseTest, pathOf } from './expression.js';
import { type Scope, valueAt } from './scope.js';

const PARAMETERS = {
  name: 'anna',
  empty: '',
  none: null,
  gone: undefined,
  zero: 0,
  seven: 7,
  yes: true,
  no: false,
  ids: ['a', 'b'],
  nobody: [],
  user: { role: 'admin', address: { city: 'Bern' }, length: 3 },
  and_more: 'word',
};

const isTrue = (text: string, parameters: object = PARAMETERS): boolean => parseTest(text)(parameters as Scope);
const valueOf = (path: string, parameters: object = PARAMETERS): unknown => pathOf(path)(parameters as Scope);

describe('the value of an expression', () => {
  it.each([
    ['name', 'anna'],
    ['missing', null],
    ['gone', null],
    ['user.address.city', 'Bern'],
    ['user.missing.city', null],
    ['none.city', null],
    ['and_more', 'word'],
    ['ids.length', 2],
  ])('the path %s is %j', (path, value) => {
    expect(valueOf(path)).toEqual(value);
  });

  it.each([
    ['name != null', true],
    ['missing == null', true],
    ['gone == null', true],
    ["name == 'anna'", true],
    ['name=="anna"', true],
    ["name != ''", true],
    ["empty == ''", true],
    ['seven == 7', true],
    ["seven == '7'", false],
    ["name == 'a and b'", false],
    ['-1.5 < zero', true],
    ['yes == true and no == false', true],
    ['seven > 6 and seven < 8', true],
    ['seven gt 6 and seven lte 7 and seven neq 8', true],
    ['seven gte 7 and seven lt 8 and seven eq 7', true],
    ['seven >= 7 and seven <= 7', true],
    ["'a' < 'b'", true],
    ['none < 1', false],
    ['none >= 1', false],
    ['yes', true],
    ['no', false],
    ['  yes  ', true],
    ['not no', true],
    ['not seven == 7', false],
    ['not not yes', true],
    ['not yes or yes', true],
    ['no and ids > 0', false],
    ['yes or ids > 0', true],
    ['yes or no and no', true],
    ['no and no or yes', true],
    ['ids != null and seven > 1', true],
    ['and_more', true],
    ['zero', false],
    ['seven', true],
    ['empty', true],
    ['none', false],
    ['not none', true],
    ['ids.length > 1', true],
  ])('%s is %j as a test', (text, value) => {
    expect(isTrue(text)).toBe(value);
  });

  it.each(['ids > 1', "seven < 'a'", 'yes > no'])('%s is a defect when it is evaluated', (text) => {
    expect(() => isTrue(text)).toThrow(TypeError);
  });
});

describe('an invalid expression', () => {
  it.each([
    ['', '"" is not understood'],
    ['a ==', '"a ==" is not understood'],
    ['a and', '"" is not understood'],
    ['a b', '"a b" is not understood'],
    ['yes and a = 1', '"a = 1" is not understood'],
    ['(a)', '"(a)" is not understood'],
    ['a && b', '"a && b" is not understood'],
    ['!a', '"!a" is not understood'],
    ["'open", '"\'open" is not understood'],
    ['a.1', '"a.1" is not understood'],
    ['a.', '"a." is not understood'],
    ['1a', '"1a" is not understood'],
    ['a == == b', '"a == == b" is not understood'],
    ['a == b == c', '"a == b == c" is not understood'],
    ['- a', '"- a" is not understood'],
    ['and', '"and" is not understood'],
    ['not', '"not" is not understood'],
    ['a[0]', '"a[0]" is not understood'],
    ['a; b', '"a; b" is not understood'],
    ['a ? b : c', '"a ? b : c" is not understood'],
    ['`a`', '"`a`" is not understood'],
    ['seven + 1', '"seven + 1" is not understood'],
    ['ids.size() > 0', '"ids.size() > 0" is not understood'],
  ])('%s is rejected: %s', (text, reason) => {
    expect(() => parseTest(text)).toThrow(new SyntaxError(reason));
  });

  it('a text that almost matches at every position is rejected at once', () => {
    expect(() => parseTest(`${'a.'.repeat(50_000)}(`)).toThrow(SyntaxError);
    expect(() => parseTest(`${'not '.repeat(50_000)}(`)).toThrow(SyntaxError);
    expect(() => parseTest(`a${' '.repeat(50_000)}(`)).toThrow(SyntaxError);
  });

  it.each([
    '__proto__',
    'constructor',
    'user.constructor',
    'user.__proto__.polluted',
    'constructor.constructor',
    'name.prototype',
    'process.exit()',
    'name.toUpperCase()',
    'name.constructor("return process")()',
    'require("fs")',
    'eval("1")',
    '@java.lang.Runtime@getRuntime()',
    '#context',
    'new Date()',
    'globalThis.process.env()',
  ])('%s is rejected', (text) => {
    expect(() => parseTest(text)).toThrow(SyntaxError);
    expect(() => pathOf(text)).toThrow(SyntaxError);
  });
});

it('names of the runtime are no parameters', () => {
  expect(valueOf('process')).toBeNull();
  expect(valueOf('toString')).toBeNull();
  expect(valueOf('user.hasOwnProperty')).toBeNull();
  expect(valueOf('ids.push')).toBeNull();
});

it('inherited properties are no parameters', () => {
  const inherited = Object.create({ secret: 'inherited' }) as object;

  expect(valueOf('secret', inherited)).toBeNull();
  expect(valueOf('inner.secret', { inner: inherited })).toBeNull();
});

it('an own property with the name of a prototype is not reachable', () => {
  const parameters = JSON.parse('{"__proto__": {"admin": true}, "constructor": "x"}') as object;

  expect(valueAt(parameters as Scope, ['__proto__', 'admin'])).not.toBe(true);
  expect(valueOf('admin', parameters)).toBeNull();
});
