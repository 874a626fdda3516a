import { describe, expect, it } from 'vitest';
import { fc } from '../../../test/support/runner/property.js';
import { isLocalLoginId, LoginIds, looksLikeFormula } from './login-id.js';

const loginIds = new LoginIds({ caseSensitive: false });

describe('a login id', () => {
  it.each([
    ['Anna', 'anna'],
    ['  anna\t', 'anna'],
    ['ＡＮＮＡ', 'anna'],
    ['ﬁona', 'fiona'],
    ['A\u030Angström', 'ångström'],
    ['ÉMILE@Example.ORG', 'émile@example.org'],
    ['𝒜nna', 'anna'],
  ])('T8: has one normalised form for every spelling: %s', (text, form) => {
    expect(loginIds.formOf(text)).toBe(form);
  });

  it.each(['\u200banna', 'anna\u200b', '\ufeffanna', ' \u200d anna\u2060\u200e '])(
    'A5: has no zero-width characters around it: %j',
    (text) => {
      expect(loginIds.formOf(text)).toBe('anna');
    },
  );

  it('keeps its case if login ids are case-sensitive', () => {
    expect(new LoginIds({ caseSensitive: true }).formOf(' Ａnna ')).toBe('Anna');
  });

  it.each([
    ['an empty text', ''],
    ['blanks only', ' \u3000\t'],
    ['zero-width characters only', '\u200b\ufeff'],
    ['a NUL', 'anna\0'],
    ['a line end', 'anna\nadmin'],
    ['a lone surrogate', 'anna\ud800'],
    ['a mark that reverses the text direction', 'anna\u202e'],
    ['a zero-width space', 'an\u200bna'],
    ['256 characters', 'a'.repeat(256)],
    ['a text whose normalised form is too long', '\ufdfa'.repeat(20)],
  ])('is undefined for %s', (_name, text) => {
    expect(loginIds.formOf(text)).toBeUndefined();
  });

  it('has up to 255 characters, counted as code points', () => {
    expect(loginIds.formOf('a'.repeat(255))).toHaveLength(255);
    expect(loginIds.formOf('\u{1F600}'.repeat(255))).toBe('\u{1F600}'.repeat(255));
  });

  it('is unchanged by a second normalisation', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.boolean(), (text, caseSensitive) => {
        const ids = new LoginIds({ caseSensitive });
        const form = ids.formOf(text);
        expect(form === undefined ? undefined : ids.formOf(form)).toBe(form);
      }),
    );
  });

  it('is local unless it contains a colon', () => {
    expect(isLocalLoginId('anna')).toBe(true);
    expect(isLocalLoginId('idp:anna')).toBe(false);
  });

  it.each(['=anna', '+anna', '-anna', '@anna'])('H6: %s looks like a spreadsheet formula', (form) => {
    expect(looksLikeFormula(form)).toBe(true);
    expect(looksLikeFormula(`a${form}`)).toBe(false);
  });
});
