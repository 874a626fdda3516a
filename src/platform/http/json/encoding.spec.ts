import { describe, expect, it } from 'vitest';
import { charsetOf } from '../../../kernel/encoding/charset.js';
import { Encoding } from './encoding.js';

/** The name of the character set in which a request body is read; undefined if the body is rejected. */
function readIn(charset: string, force: boolean | undefined, declared: string | undefined): string | undefined {
  const encoding = new Encoding({ charset, ...(force !== undefined && { force }) });
  const chosen = encoding.ofRequest(
    declared === undefined ? 'application/json' : `application/json; charset=${declared}`,
  );
  return ['UTF-8', 'EUC-KR', 'ISO-8859-1'].find((name) => charsetOf(name) === chosen);
}

describe('the character set of a request body', () => {
  it.each([
    ['UTF-8', undefined, undefined, 'UTF-8'],
    ['UTF-8', undefined, 'utf-8', 'UTF-8'],
    ['UTF-8', undefined, '"UTF-8"', 'UTF-8'],
    ['UTF-8', undefined, 'ISO-8859-1', undefined],
    ['UTF-8', undefined, 'klingon', undefined],
    ['UTF-8', undefined, '', undefined],
    ['UTF-8', true, 'ISO-8859-1', 'UTF-8'],
    ['UTF-8', true, 'klingon', 'UTF-8'],
    ['UTF-8', false, 'ISO-8859-1', 'ISO-8859-1'],
    ['UTF-8', false, undefined, 'UTF-8'],
    ['UTF-8', false, 'klingon', undefined],
    ['UTF-8', false, 'UTF-16', undefined],
    ['UTF-8', false, 'utf-7', undefined],
    ['EUC-KR', undefined, undefined, 'EUC-KR'],
    ['EUC-KR', undefined, 'euckr', 'EUC-KR'],
    ['EUC-KR', undefined, 'UTF-8', undefined],
    ['EUC-KR', true, 'UTF-8', 'EUC-KR'],
    ['EUC-KR', false, 'UTF-8', 'UTF-8'],
    ['EUC-KR', false, undefined, 'EUC-KR'],
  ])('the character set with charset %s, force %s and the header value %s is %s', (charset, force, declared, read) => {
    expect(readIn(charset, force, declared)).toBe(read);
  });
});

describe('the character set of a response', () => {
  const forced = new Encoding({ charset: 'utf-8', force: true });
  const korean = new Encoding({ charset: 'EUC-KR', force: true });
  const unforced = new Encoding({ charset: 'EUC-KR' });

  it('is named in a JSON content type only if it is forced', () => {
    expect(new Encoding().jsonType('application/json')).toBe('application/json');
    expect(unforced.jsonType('application/problem+json')).toBe('application/problem+json');
    expect(forced.jsonType('application/json')).toBe('application/json;charset=UTF-8');
    expect(korean.jsonType('application/problem+json; charset=utf-8')).toBe('application/problem+json;charset=EUC-KR');
  });

  it('leaves JSON in ASCII if it is not UTF-8', () => {
    expect(forced.json('"ü"')).toBe('"ü"');
    expect(korean.json('"ü\u007f"')).toBe('"\\u00fc\u007f"');
  });

  it('is that of the content type of a text unless another is forced', () => {
    const declared = 'text/html; charset=utf-8';

    expect(unforced.text(declared, '한')).toEqual({ type: declared, body: '한' });
    expect(unforced.text('text/html', '한')).toEqual({
      type: 'text/html;charset=EUC-KR',
      body: Buffer.from([0xc7, 0xd1]),
    });
    expect(korean.text(declared, '한')).toEqual({ type: 'text/html;charset=EUC-KR', body: Buffer.from([0xc7, 0xd1]) });
    expect(forced.text(declared, '한')).toEqual({ type: 'text/html;charset=UTF-8', body: '한' });
  });
});

it('a character set that does not contain ASCII is rejected', () => {
  expect(() => new Encoding({ charset: 'UTF-16' })).toThrow('does not extend ASCII');
});
