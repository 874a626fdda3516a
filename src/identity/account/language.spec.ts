import { expect, it } from 'vitest';
import { isLanguage } from './language.js';

it.each(['constructor', '__proto__', 'EN', 'kor', ''])('%j is not the name of a language', (text) => {
  expect(isLanguage(text)).toBe(false);
});
