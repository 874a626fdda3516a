import { describe, expect, it } from 'vitest';
import * as v from 'valibot';
import { fc } from '../../../../test/support/runner/property.js';
import { Encoding } from './encoding.js';
import { JsonWriter } from './json-writer.js';
import { JsonProperties } from './json.properties.js';

const DATE = new Date('2026-11-21T00:00:00.000Z');

function answers(json: Partial<JsonProperties> = {}, writeDatesAsTimestamps = false): JsonWriter {
  return new JsonWriter(Object.assign(new JsonProperties(), json), { writeDatesAsTimestamps });
}

describe('a date in a response', () => {
  it.each([
    ['as ISO 8601 in UTC', {}, false, '"2026-11-21T00:00:00.000Z"'],
    [
      'as ISO 8601 with the offset of another zone',
      { timeZone: 'Asia/Seoul' },
      false,
      '"2026-11-21T09:00:00.000+09:00"',
    ],
    ['as ISO 8601 in UTC under another name', { timeZone: 'Etc/GMT' }, false, '"2026-11-21T00:00:00.000Z"'],
    ['as ISO 8601 if the configured format is empty', { dateFormat: '' }, false, '"2026-11-21T00:00:00.000Z"'],
    ['as milliseconds', {}, true, '1795219200000'],
    ['as milliseconds, which have no zone', { timeZone: 'Asia/Seoul' }, true, '1795219200000'],
    ['by the configured format', { dateFormat: 'yyyy-MM-dd HH:mm:ss' }, false, '"2026-11-21 00:00:00"'],
    [
      'by the configured format in the configured zone',
      { dateFormat: 'dd.MM. HH:mm VV', timeZone: 'Asia/Seoul' },
      false,
      '"21.11. 09:00 Asia/Seoul"',
    ],
    ['by the configured format rather than as milliseconds', { dateFormat: 'yyyy' }, true, '"2026"'],
    ['with the quotes of the format escaped', { dateFormat: 'yyyy"' }, false, String.raw`"2026\""`],
  ])('is written %s', (_, json, asTimestamps, text) => {
    const body = { at: DATE, list: [DATE, { at: DATE }], no: '2026-11-21T00:00:00.000Z' };

    expect(answers(json, asTimestamps).write(body)).toBe(
      `{"at":${text},"list":[${text},{"at":${text}}],"no":"2026-11-21T00:00:00.000Z"}`,
    );
  });

  it('is written as null if it is invalid', () => {
    for (const json of [{}, { dateFormat: 'yyyy' }, { timeZone: 'Asia/Seoul' }]) {
      expect(answers(json).write({ at: new Date(NaN) })).toBe('{"at":null}');
    }
  });
});

describe('members without a value in a response', () => {
  const body = { a: 1, none: null, text: '', list: [], members: {}, zero: 0, no: false, unset: undefined };

  it.each([
    ['always', '{"a":1,"none":null,"text":"","list":[],"members":{},"zero":0,"no":false}'],
    ['use_defaults', '{"a":1,"none":null,"text":"","list":[],"members":{},"zero":0,"no":false}'],
    ['non_null', '{"a":1,"text":"","list":[],"members":{},"zero":0,"no":false}'],
    ['non_absent', '{"a":1,"text":"","list":[],"members":{},"zero":0,"no":false}'],
    ['non_default', '{"a":1,"text":"","list":[],"members":{},"zero":0,"no":false}'],
    ['non_empty', '{"a":1,"zero":0,"no":false}'],
  ] as const)('are written as default-property-inclusion %s demands', (defaultPropertyInclusion, text) => {
    expect(answers({ defaultPropertyInclusion }).write(body)).toBe(text);
    expect(answers({ defaultPropertyInclusion }).write([{ deep: body }])).toBe(`[{"deep":${text}}]`);
  });

  it('are kept as items of a list', () => {
    expect(answers({ defaultPropertyInclusion: 'non_empty' }).write([null, '', [], {}, [null]])).toBe(
      '[null,"",[],{},[null]]',
    );
  });

  it('are left out with the object that becomes empty without them', () => {
    expect(answers({ defaultPropertyInclusion: 'non_empty' }).write({ a: { b: null }, c: { d: [null] } })).toBe(
      '{"c":{"d":[null]}}',
    );
  });

  it('do not include a date', () => {
    expect(answers({ defaultPropertyInclusion: 'non_empty' }).write({ at: DATE })).toBe(
      '{"at":"2026-11-21T00:00:00.000Z"}',
    );
  });

  it('are kept if the response schema requires them', () => {
    const schema = v.object({
      items: v.array(v.object({ device: v.nullable(v.string()), ip: v.optional(v.nullable(v.string())) })),
      methods: v.array(v.string()),
      note: v.string(),
      next: v.optional(v.nullable(v.string())),
    });
    const body = { items: [{ device: null, ip: null, more: null }], methods: [], note: '', next: null };

    for (const defaultPropertyInclusion of ['non_null', 'non_empty'] as const) {
      expect(answers({ defaultPropertyInclusion }).write(body, schema)).toBe(
        '{"items":[{"device":null}],"methods":[],"note":""}',
      );
    }
  });
});

describe('a JSON response', () => {
  const PACKAGED = { dateFormat: 'yyyy-MM-dd HH:mm:ss', defaultPropertyInclusion: 'non_null' } as const;

  it('equals the output of JSON.stringify with default settings', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        expect(answers().write(body)).toBe(JSON.stringify(body));
        expect(answers({ dateFormat: 'yyyy' }).write(body)).toBe(JSON.stringify(body));
      }),
    );
  });

  it('lacks null members, and nothing else, with non_null', () => {
    const withoutNull = (name: string, value: unknown): unknown =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))
        : value;
    const value = fc.jsonValue().filter((body) => !JSON.stringify(body).includes('"__proto__"'));
    fc.assert(
      fc.property(value, (body) => {
        expect(answers(PACKAGED).write(body)).toBe(JSON.stringify(body, withoutNull));
      }),
    );
  });

  it('does not modify the value of the handler', () => {
    const body = Object.freeze({ none: null, list: Object.freeze([DATE, null]) });

    expect(answers(PACKAGED).write(body)).toBe('{"list":["2026-11-21 00:00:00",null]}');
    expect(body).toEqual({ none: null, list: [DATE, null] });
  });

  it('H4: keeps a member called __proto__', () => {
    const body = JSON.parse('{"__proto__":{"at":null,"b":1},"none":null}') as unknown;

    expect(answers(PACKAGED).write(body)).toBe('{"__proto__":{"b":1}}');
  });

  it('uses toJSON of a value', () => {
    expect(answers(PACKAGED).write({ url: new URL('https://a.example/'), more: { toJSON: () => [DATE] } })).toBe(
      '{"url":"https://a.example/","more":["2026-11-21 00:00:00"]}',
    );
  });

  it('is ASCII if the character set is not UTF-8', () => {
    const encoding = new Encoding({ charset: 'EUC-KR', force: true });
    const json = new JsonWriter(new JsonProperties(), undefined, encoding);
    const text = json.write({ name: '한 "ü" 😀' });

    expect(text).toBe(String.raw`{"name":"\ud55c \"\u00fc\" \ud83d\ude00"}`);
    expect(JSON.parse(text)).toEqual({ name: '한 "ü" 😀' });
    expect(json.contentType).toBe('application/json;charset=EUC-KR');
  });
});
