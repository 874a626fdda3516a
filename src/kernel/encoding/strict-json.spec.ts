import { describe, expect, it } from 'vitest';
import { fc } from '../../../test/support/runner/property.js';
import { charsetNamed } from './charset.js';
import { isCleanlyEncoded, readForm, readJson } from './strict-json.js';

const json = (text: string): ReturnType<typeof readJson> => readJson(Buffer.from(text));
const form = (text: string): ReturnType<typeof readForm> => readForm(Buffer.from(text, 'latin1'));

describe('a JSON body', () => {
  it('is an object without members if it has no bytes', () => {
    expect(readJson(Buffer.alloc(0))).toEqual({ value: {} });
  });

  it.each([
    ['an object', '{"id":"a","pw":"b"}', { id: 'a', pw: 'b' }],
    [
      'colons, quotes and escapes inside of text',
      String.raw`{"a:b":"c:\"d\":\\","e":[":"]}`,
      { 'a:b': 'c:"d":\\', e: [':'] },
    ],
    ['equal names in different objects', '[{"a":{"a":1}},{"a":2}]', [{ a: { a: 1 } }, { a: 2 }]],
    ['a whole surrogate pair', String.raw`"\ud83d\ude00"`, '😀'],
    ['levels', '[[[{"a":[]}]]]', [[[{ a: [] }]]]],
    ['brackets inside of text', JSON.stringify('['.repeat(100)), '['.repeat(100)],
  ])('is parsed: %s', (_, text, value) => {
    expect(json(text)).toEqual({ value });
  });

  it('A5: is parsed behind a byte order mark', () => {
    expect(json('\u{feff}{"id":"anna"}')).toEqual({ value: { id: 'anna' } });
  });

  it('is parsed down to 32 levels', () => {
    expect(json('['.repeat(32) + ']'.repeat(32))).toBeDefined();
  });

  it.each([
    ['no JSON', '{id:1}'],
    ['half of it', '{"id":'],
    ['more behind it', '{} {}'],
    ['a comment', '{} // no'],
    ['two byte order marks', '\u{feff}\u{feff}{}'],
    ['a byte order mark inside', '{\u{feff}}'],
    ['a name twice', '{"pw":"a","pw":"b"}'],
    ['a name twice with one value', '{"pw":"a","pw":"a"}'],
    ['a name twice in two spellings', String.raw`{"pw":"a","\u0070w":"b"}`],
    ['a name twice below', '{"a":[{"b":1,"b":{"c":1}}]}'],
    ['H4 __proto__', '{"__proto__":{"admin":true}}'],
    ['H4 __proto__ spelled with an escape', String.raw`{"__pr\u006fto__":{}}`],
    ['H4 constructor', '{"a":{"constructor":{"prototype":{}}}}'],
    ['H2 NUL', String.raw`{"pw":"a\u0000b"}`],
    ['H2 NUL in a name', String.raw`{"a\u0000":1}`],
    ['H2 a lone surrogate', String.raw`{"pw":"\ud800"}`],
    ['H2 a lone surrogate in a list', String.raw`["\udc00x"]`],
    ['H5 33 levels', '['.repeat(33) + ']'.repeat(33)],
    ['H5 40,000 levels that never end', '{"a":'.repeat(40_000)],
  ])('is rejected: %s', (_, text) => {
    expect(json(text)).toBeUndefined();
  });

  it.each([
    ['a lone byte', [0x22, 0xff, 0x22]],
    ['an overlong form', [0x22, 0xc0, 0x80, 0x22]],
    ['half of a character', [0x22, 0xe2, 0x82, 0x22]],
    ['a surrogate in UTF-8', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])('H2: is rejected if it is not UTF-8: %s', (_, bytes) => {
    expect(readJson(Buffer.from(bytes))).toBeUndefined();
  });

  it('is parsed as strictly in another character set', () => {
    const korean = charsetNamed('EUC-KR');

    expect(readJson(korean.encode('{"pw":"비밀"}'), korean)).toEqual({ value: { pw: '비밀' } });
    expect(readJson(Buffer.from('{"pw":"비밀"}'), korean)).toBeUndefined();
    expect(readJson(Buffer.from([0x22, 0xff, 0x22]), korean)).toBeUndefined();
    expect(readJson(korean.encode('{"__proto__":{}}'), korean)).toBeUndefined();
    expect(readJson(Buffer.alloc(0), korean)).toEqual({ value: {} });
  });

  it('does not change the prototype of objects', () => {
    json('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');

    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('equals the result of JSON.parse for every text of JSON.stringify', () => {
    const member = fc.string().filter((name) => !['__proto__', 'constructor', 'prototype'].includes(name));
    const values = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom(null, true, 0, -1.5e300, ''),
        fc.string({ unit: 'grapheme' }),
        fc.array(tie('value')),
        fc.dictionary(member, tie('value')),
      ),
    }));

    fc.assert(
      fc.property(values.value, fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        expect(json(text)).toEqual({ value: JSON.parse(text) as unknown });
      }),
    );
  });

  it('never throws, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(() => readJson(Buffer.from(bytes))).not.toThrow();
      }),
    );
  });
});

describe('a form', () => {
  it.each([
    ['', {}],
    ['token=a.b-c&token_type_hint=access_token', { token: 'a.b-c', token_type_hint: 'access_token' }],
    ['token=a+b%20c%C3%BC', { token: 'a b cü' }],
    ['token=', { token: '' }],
    ['token', { token: '' }],
    ['token=a=b', { token: 'a=b' }],
    ['&a=1&&b=2&', { a: '1', b: '2' }],
    ['%61%3D=%26', { 'a=': '&' }],
  ])('is parsed: %s', (text, value) => {
    expect(form(text)).toEqual({ value });
  });

  it.each([
    ['a name twice', 'token=a&token=a'],
    ['H2 NUL', 'token=%00'],
    ['H2 no UTF-8', 'token=%ff'],
    ['H2 a surrogate', 'token=%ED%A0%80'],
    ['an unfinished escape', 'token=%4'],
    ['no digits behind a percent sign', 'token=%0x41'],
    ['half an escape and the next one', 'token=%4%41'],
    ['bytes that should be escaped', 'token=\u{fc}'],
    ['H4 __proto__', '__proto__=1'],
    ['H4 __proto__ spelled with an escape', '%5f_proto__=1'],
    ['a name twice in two spellings', 'a=1&%61=1'],
    ['H2 half of a character', 'token=%c3&next=%bc'],
  ])('is rejected: %s', (_, text) => {
    expect(form(text)).toBeUndefined();
  });

  it('H5: has at most a hundred members, including empty ones', () => {
    const members = (count: number): string => Array.from({ length: count }, (_, index) => `m${index}=`).join('&');

    expect(form(members(100))).toBeDefined();
    expect(form(members(101))).toBeUndefined();
    expect(form('&'.repeat(2 * 1024 * 1024))).toBeUndefined();
  });

  it('is parsed in another character set, which also applies to escaped bytes', () => {
    const korean = charsetNamed('EUC-KR');

    expect(readForm(Buffer.from('token=%C7%D1+a'), korean)).toEqual({ value: { token: '한 a' } });
    expect(readForm(Buffer.from('token=%ED%95%9C'), korean)).toBeUndefined();
    expect(readForm(Buffer.from('token=%C7'), korean)).toBeUndefined();
    expect(readForm(Buffer.from([0x74, 0x3d, 0xc7, 0xd1]), korean)).toBeUndefined();
  });

  it('equals the result of URLSearchParams for every text that it writes', () => {
    const name = fc.string({ unit: 'grapheme' }).filter((text) => !/\0|^(__proto__|constructor|prototype)$/.test(text));
    const value = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(fc.dictionary(name, value), (members) => {
        expect(form(new URLSearchParams(members).toString())).toEqual({ value: members });
      }),
    );
  });
});

it.each([
  ['/login?a=%C3%BC', true],
  ['/login', true],
  ['/%2e%2e/', true],
  ['/?a=%00', false],
  ['/?a=%zz', false],
  ['/?a=%ED%A0%80', false],
  ['/ü', false],
  ['/?a=\u{1}', false],
])('a request target is checked for clean encoding: %s', (target, isClean) => {
  expect(isCleanlyEncoded(target)).toBe(isClean);
});
