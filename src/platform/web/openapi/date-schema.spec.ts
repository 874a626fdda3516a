import { describe, expect, it } from 'vitest';
import { JsonProperties } from '../../http/json/json.properties.js';
import { dateForm } from './date-schema.js';

const TEXTS = { writeDatesAsTimestamps: false };
const NUMBERS = { writeDatesAsTimestamps: true };

function withPattern(dateFormat: string): Pick<JsonProperties, 'dateFormat' | 'timeZone'> {
  return { dateFormat, timeZone: 'Asia/Seoul' };
}

describe('the schema of an instant in a response', () => {
  it('is a date-time of RFC 3339 by default', () => {
    expect(dateForm(new JsonProperties(), TEXTS)).toEqual({
      schema: { type: 'string', format: 'date-time' },
      text: 'texts in ISO 8601',
    });
  });

  it('is an integer if dates are written as timestamps', () => {
    expect(dateForm(new JsonProperties(), NUMBERS).schema).toEqual({ type: 'integer' });
  });

  it('is a text that matches the configured pattern, even with timestamps', () => {
    for (const serialization of [TEXTS, NUMBERS]) {
      const { schema, text } = dateForm(withPattern('dd.MM.yyyy'), serialization);

      expect(schema).toEqual({ type: 'string', pattern: String.raw`^\d{2}\.\d{2}\.\d{4,}$` });
      expect(text).toBe('texts of the form `dd.MM.yyyy` in the time zone Asia/Seoul');
    }
  });

  it.each([
    ['yyyy-MM-dd HH:mm:ss', '2030-01-02 03:04:05', '2030-1-02 03:04:05'],
    ["yyyy-MM-dd'T'HH:mm:ss.SSSXXX", '2030-01-02T03:04:05.006+09:00', '2030-01-02 03:04:05.006Z'],
    ['yy/M/d', '30/1/12', '2030/1/12'],
    ["d MMM yyyy 'at' h:mm a", '2 Jan 2030 at 3:04 AM', '2 Jan 2030 in 3:04 AM'],
    ["HH 'o''clock'", "03 o'clock", '03 oclock'],
    ["h''mm", "3'04", '3:04'],
    ['EEEE [VV] (Z)', 'Wednesday [Europe/Berlin] (+0100)', 'Wednesday Europe/Berlin (+0100)'],
    ['SSS', '006', '6'],
  ])('the schema for the pattern %s matches %s and not %s', (pattern, right, wrong) => {
    const expression = new RegExp(String(dateForm(withPattern(pattern), TEXTS).schema.pattern), 'u');

    expect(right).toMatch(expression);
    expect(wrong).not.toMatch(expression);
  });
});
