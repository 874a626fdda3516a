import { describe, expect, it } from 'vitest';
import { ConversionProblem } from '../../../config/problem.js';
import { accessPattern, COMMON_PATTERN, parsePattern, WORDS } from './access-pattern.js';

function reasonOf(pattern: string): string {
  const parsed = parsePattern(pattern);
  return parsed instanceof ConversionProblem ? parsed.reason : 'accepted';
}

it('common, combined and every documented word are valid patterns', () => {
  expect(parsePattern('common')).toEqual(COMMON_PATTERN);
  for (const pattern of ['combined', ...Object.keys(WORDS)]) expect(reasonOf(pattern), pattern).toBe('accepted');
});

it('a parsed pattern is formatted back to its original text', () => {
  const pattern = '%h "%{user-agent}I" 100%%';
  const parsed = parsePattern(pattern.replace('I', 'i'));

  expect(parsed instanceof ConversionProblem ? undefined : accessPattern.format(parsed)).toBe(
    '%h "%{user-agent}i" 100%%',
  );
});

it('header names are case-insensitive, letters of words are case-sensitive', () => {
  expect(parsePattern('%{REFERER}i')).toMatchObject({ pieces: [{ word: '%{Referer}i' }] });
  expect(parsePattern('%b%B')).toMatchObject({ pieces: [{ word: '%b' }, { word: '%B' }] });
  expect(reasonOf('%R')).toMatch(/no such word/);
});

it('a word between quotation marks is marked as quoted', () => {
  expect(parsePattern('%h "a %r" %u')).toMatchObject({
    pieces: [
      { word: '%h', isQuoted: false },
      { text: ' "a ' },
      { word: '%r', isQuoted: true },
      { text: '" ' },
      { word: '%u', isQuoted: false },
    ],
  });
});

describe('L1: a word that could log a credential', () => {
  it.each([
    ['%{Authorization}i', 'others can carry secrets'],
    ['%{Cookie}i', 'others can carry secrets'],
    ['%{Proxy-Authorization}i', 'others can carry secrets'],
    ['%{Set-Cookie}o', 'others can carry secrets'],
    ['%{Location}o', 'others can carry secrets'],
    // What a caller sends under that name is no id of ours.
    ['%{X-Request-Id}i', 'others can carry secrets'],
    ['%{SESSION}c', 'cookies are never logged'],
    ['%q', 'query string is never logged'],
    ['%S', 'session ids are never logged'],
  ])('%s is rejected with a reason', (word, reason) => {
    expect(reasonOf(`%h ${word}`)).toContain(reason);
    expect(reasonOf(`%h ${word}`)).toMatch(/^character 4: /);
  });
});

it.each([
  ['a word that does not exist', '%h %Z', 'character 4: no such word'],
  ['a lonely percent sign', '%h %', 'character 4: no such word'],
  ['a name without an end', '%h %{Referer', 'character 4: no such word'],
  ['a name without a letter', '%h %{Referer}', 'character 4: '],
  ['text but no word', 'Common', 'neither a name nor a word in it'],
  ['no text', '', 'neither a name nor a word in it'],
  ['a quotation mark alone', '%h "%r', 'a quotation mark is not closed'],
  ['a line break', '%h\n%r', 'a line can contain only printable ASCII'],
  ['letters of other scripts', '%h ü', 'a line can contain only printable ASCII'],
])('a pattern with %s is rejected', (_, pattern, reason) => {
  expect(reasonOf(pattern)).toContain(reason);
});
