import { describe, expect, it } from 'vitest';
import { acceptedLanguage } from './page-language.js';

describe('the language of Accept-Language', () => {
  it.each([
    ['ko-KR,ko;q=0.9,en-US;q=0.8', 'ko'],
    ['en-GB', 'en'],
    ['de, ko;q=0.5', 'ko'],
    ['en;q=0.1, ko;q=0.2', 'ko'],
    ['KO', 'ko'],
    ['de', undefined],
    ['en;q=0', undefined],
    ['*', undefined],
    ['', undefined],
    ['constructor, __proto__', undefined],
    [undefined, undefined],
  ])('%s is %s', (header, language) => {
    expect(acceptedLanguage(header, ['en', 'ko'])).toBe(language);
  });
});
