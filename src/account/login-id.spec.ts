import { describe, expect, it } from 'vitest';
import { fc } from '../../test/support/property.js';
import { isLocalLoginId, looksLikeFormula, normalisedLoginId } from './login-id.js';

describe('a login id', () => {
  it.each([
    ['Anna', 'anna'],
    ['  anna\t', 'anna'],
    ['ＡＮＮＡ', 'anna'],
    ['ﬁona', 'fiona'],
    ['A\u030Angström', 'ångström'],
    ['ÉMILE@Example.ORG', 'émile@example.org'],
    ['𝒜nna', 'anna'],
  ])('T8 has one form in every spelling: %s', (text, form) => {
    expect(normalisedLoginId(text, false)).toBe(form);
  });

  it('keeps its case where case matters', () => {
    expect(normalisedLoginId(' Ａnna ', true)).toBe('Anna');
  });

  it.each([
    ['nothing', ''],
    ['blanks only', ' \u3000\t'],
    ['a NUL', 'anna\0'],
    ['a line end', 'anna\nadmin'],
    ['a lone surrogate', 'anna\ud800'],
    ['a mark that turns the text around', 'anna\u202e'],
    ['a blank of no width', 'an\u200bna'],
    ['256 characters', 'a'.repeat(256)],
    ['what becomes too long', '\ufdfa'.repeat(20)],
  ])('is not %s', (_name, text) => {
    expect(normalisedLoginId(text, false)).toBeUndefined();
  });

  it('has up to 255 characters, whatever they take in memory', () => {
    expect(normalisedLoginId('a'.repeat(255), false)).toHaveLength(255);
    expect(normalisedLoginId('\u{1F600}'.repeat(255), false)).toBe('\u{1F600}'.repeat(255));
  });

  it('is its own form', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.boolean(), (text, isCaseSensitive) => {
        const form = normalisedLoginId(text, isCaseSensitive);
        expect(form === undefined ? undefined : normalisedLoginId(form, isCaseSensitive)).toBe(form);
      }),
    );
  });

  it('of a local account has no colon, which shows accounts of identity providers', () => {
    expect(isLocalLoginId('anna')).toBe(true);
    expect(isLocalLoginId('idp:anna')).toBe(false);
  });

  it.each(['=anna', '+anna', '-anna', '@anna'])('H6: looks like the formula of a spreadsheet as %s', (form) => {
    expect(looksLikeFormula(form)).toBe(true);
    expect(looksLikeFormula(`a${form}`)).toBe(false);
  });
});
