import { describe, expect, it } from 'vitest';
import { isEmail } from './email.js';

describe('a mail address', () => {
  it.each([['anna@example.org'], ['a.b+c@sub.example.org'], ['jürgen@müller.example']])('may be %s', (text) => {
    expect(isEmail(text)).toBe(true);
  });

  it.each([
    [''],
    ['anna'],
    ['anna@'],
    ['@example.org'],
    ['a@b@example.org'],
    ['anna@example.org\r\nBcc: all@example.org'],
    ['Anna <anna@example.org>'],
    ['anna@example.org,berta@example.org'],
    ['an na@example.org'],
    [`anna@${'x'.repeat(250)}`],
    ['anna\ud800@example.org'],
  ])('is not "%s"', (text) => {
    expect(isEmail(text)).toBe(false);
  });
});
