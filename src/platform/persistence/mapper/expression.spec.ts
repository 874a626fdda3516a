import { describe, expect, it } from 'vitest';
import { ExpressionProblem, isTrue, parseExpression } from './expression.js';
import { Scope } from './scope.js';

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

function valueOf(text: string, parameters: object = PARAMETERS): unknown {
  const expression = parseExpression(text);
  if (expression instanceof ExpressionProblem) throw new SyntaxError(expression.reason);
  return expression(new Scope(parameters));
}

function faultOf(text: string): string {
  const expression = parseExpression(text);
  return expression instanceof ExpressionProblem ? expression.reason : 'no fault';
}

describe('the value of an expression', () => {
  it.each([
    ['null', null],
    ['true', true],
    ['false', false],
    ['12', 12],
    ['-1.5', -1.5],
    ["'a text'", 'a text'],
    ['"a text"', 'a text'],
    ["''", ''],
    ['name', 'anna'],
    ['missing', null],
    ['gone', null],
    ['user.address.city', 'Bern'],
    ['user.missing.city', null],
    ['none.city', null],
    ['and_more', 'word'],
    ['  name  ', 'anna'],
  ])('%s is %j', (text, value) => {
    expect(valueOf(text)).toEqual(value);
  });

  it.each([
    ['name != null', true],
    ['missing == null', true],
    ['gone == null', true],
    ["name == 'anna'", true],
    ["name != ''", true],
    ["empty == ''", true],
    ['seven == 7', true],
    ["seven == '7'", false],
    ['seven > 6 and seven < 8', true],
    ['seven >= 7 && seven <= 7', true],
    ['seven gt 6 and seven lte 7 and seven neq 8', true],
    ["'a' < 'b'", true],
    ['none < 1', false],
    ['none >= 1', false],
    ['yes', true],
    ['no', false],
    ['!no', true],
    ['not no', true],
    ['not yes or yes', true],
    ['not (yes or yes)', false],
    ['no and ids > 0', false],
    ['yes || ids > 0', true],
    ['yes or no and no', true],
    ['(yes or no) and no', false],
    ['ids != null and seven > 1', true],
    ['zero', false],
    ['seven', true],
    ['empty', true],
    ['none', false],
    ['!none', true],
  ])('%s is %j as a test', (text, value) => {
    expect(isTrue(valueOf(text))).toBe(value);
  });

  it.each(['ids > 1', "seven < 'a'", 'yes > no'])('%s is a defect when it is evaluated', (text) => {
    expect(() => valueOf(text)).toThrow(TypeError);
  });
});

describe('a faulty expression', () => {
  it.each([
    ['', 'it ends too early'],
    ['a ==', 'it ends too early'],
    ['a b', '"b" is not expected'],
    ['a = 1', '"= 1" is not understood'],
    ['(a', '")" is missing'],
    ['a)', '")" is not expected'],
    ['a &&& b', '"& b" is not understood'],
    ["'open", '"\'open" is not understood'],
    ['a.1', 'a name is expected after "."'],
    ['a.', 'a name is expected after "."'],
    ['1a', '"1a" is not understood'],
    ['a == == b', '"==" is not expected'],
    ['- a', '"a" is not expected'],
    ['a[0]', '"[0]" is not understood'],
    ['a; b', '"; b" is not understood'],
    ['a ? b : c', '"? b : c" is not understood'],
    ['`a`', '"`a`" is not understood'],
    ['seven + 1', '"+ 1" is not understood'],
    ['ids.size() > 0', 'ids.size() is no function'],
    ['x'.repeat(1001), 'it is longer than 1000 characters'],
  ])('%s is rejected: %s', (text, reason) => {
    expect(faultOf(text)).toBe(reason);
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
    expect(faultOf(text)).not.toBe('no fault');
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

  expect(new Scope(parameters).at(['__proto__', 'admin'])).not.toBe(true);
  expect(valueOf('admin', parameters)).toBeNull();
});
