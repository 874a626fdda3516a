import { describe, expect, it } from 'vitest';
import { ConversionProblem } from '../../../config/problem.js';
import { accessPattern, COMMON_PATTERN } from './access-pattern.js';

/** The placeholders that the documentation of the key lists. */
const PLACEHOLDERS = accessPattern.expects.match(/%\S+/g) ?? [];

function reasonOf(pattern: string): string {
  const parsed = accessPattern.parse(pattern);
  return parsed instanceof ConversionProblem ? parsed.reason : 'accepted';
}

it('common, combined and every documented placeholder are valid patterns', () => {
  expect(accessPattern.parse('common')).toEqual(COMMON_PATTERN);
  for (const pattern of ['combined', ...PLACEHOLDERS]) expect(reasonOf(pattern), pattern).toBe('accepted');
});

it('a parsed pattern is formatted back to its original text', () => {
  const pattern = '%h "%{user-agent}I" 100%%';
  const parsed = accessPattern.parse(pattern.replace('I', 'i'));

  expect(parsed instanceof ConversionProblem ? undefined : accessPattern.format(parsed)).toBe(
    '%h "%{user-agent}i" 100%%',
  );
});

it('header names are case-insensitive, letters of placeholders are case-sensitive', () => {
  expect(accessPattern.parse('%{REFERER}i')).toMatchObject({ pieces: [{ placeholder: '%{Referer}i' }] });
  expect(accessPattern.parse('%b%B')).toMatchObject({ pieces: [{ placeholder: '%b' }, { placeholder: '%B' }] });
  expect(reasonOf('%R')).toMatch(/no such placeholder/);
});

it('a placeholder between quotation marks is marked as quoted', () => {
  expect(accessPattern.parse('%h "a %r" %u')).toMatchObject({
    pieces: [
      { placeholder: '%h', isQuoted: false },
      { text: ' "a ' },
      { placeholder: '%r', isQuoted: true },
      { text: '" ' },
      { placeholder: '%u', isQuoted: false },
    ],
  });
});

describe('L1: a placeholder that could log a credential', () => {
  it.each([
    ['%{Authorization}i', 'others can carry secrets'],
    ['%{Cookie}i', 'others can carry secrets'],
    ['%{Proxy-Authorization}i', 'others can carry secrets'],
    ['%{Set-Cookie}o', 'others can carry secrets'],
    ['%{Location}o', 'others can carry secrets'],
    // The id that a caller sends under this name is not an id of the service.
    ['%{X-Request-Id}i', 'others can carry secrets'],
    ['%{SESSION}c', 'cookies are never logged'],
    ['%q', 'query string is never logged'],
    ['%S', 'session ids are never logged'],
  ])('%s is rejected with a reason', (placeholder, reason) => {
    expect(reasonOf(`%h ${placeholder}`)).toContain(reason);
    expect(reasonOf(`%h ${placeholder}`)).toMatch(/^character 4: /);
  });
});

it.each([
  ['a placeholder that does not exist', '%h %Z', 'character 4: no such placeholder'],
  ['a lonely percent sign', '%h %', 'character 4: no such placeholder'],
  ['a name without an end', '%h %{Referer', 'character 4: no such placeholder'],
  ['a name without a letter', '%h %{Referer}', 'character 4: '],
  ['text but no placeholder', 'Common', 'neither a name nor a placeholder in it'],
  ['no text', '', 'neither a name nor a placeholder in it'],
  ['a quotation mark alone', '%h "%r', 'a quotation mark is not closed'],
  ['a line break', '%h\n%r', 'a line can contain only printable ASCII'],
  ['letters of other scripts', '%h ü', 'a line can contain only printable ASCII'],
])('a pattern with %s is rejected', (_, pattern, reason) => {
  expect(reasonOf(pattern)).toContain(reason);
});
