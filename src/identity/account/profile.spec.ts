import { describe, expect, it } from 'vitest';
import { displayNameOf, groupsOf, groupsText, groupsWritten, profileProblems, usableGroups } from './profile.js';

describe('a display name', () => {
  it('is stored in NFC without blanks around it', () => {
    expect(displayNameOf('  Zoe\u0308 O’Hara-李 ')).toBe('Zo\u00eb O’Hara-李');
  });

  it('has 255 characters at most', () => {
    expect(displayNameOf('x'.repeat(255))).toHaveLength(255);
    expect(displayNameOf('x'.repeat(256))).toBeUndefined();
  });

  it.each([
    ['nothing', ''],
    ['blanks only', ' \t'],
    ['a line break', 'Ada\nBcc: x'],
    ['a NUL', 'Ada\0'],
    ['a C1 control', 'Ada\u0085'],
    ['a line separator', 'Ada\u2028Lovelace'],
    ['a mark that reverses text', 'Ada\u202egpj'],
    ['half a surrogate pair', 'Ada\ud83d'],
  ])('is not %s', (_name, text) => {
    expect(displayNameOf(text)).toBeUndefined();
  });
});

describe('groups', () => {
  const areGroups = (groups: readonly string[]): boolean =>
    profileProblems({ displayName: undefined, groups }).length === 0;

  it('of another system lose the names that cannot be stored, and all if they are too long together', () => {
    expect(usableGroups([' b ', 'a', 'b', 'x,y', ''])).toEqual(['a', 'b']);
    expect(usableGroups(Array.from({ length: 21 }, (_, n) => String(n).padStart(50, 'g')))).toEqual([]);
  });

  it('are stored as unique names in NFC, sorted and separated by commas', () => {
    expect(groupsText(['staff', 'Zoe\u0308', 'admins', 'staff'])).toBe('Zo\u00eb,admins,staff');
    expect(groupsOf('admins,staff')).toEqual(['admins', 'staff']);
    expect(groupsOf('')).toEqual([]);
  });

  it('are written between commas, since a name may contain blanks', () => {
    expect(groupsWritten(' Domain Users , staff,,')).toEqual(['Domain Users', 'staff']);
  });

  it('may be any visible names of 64 characters without comma', () => {
    expect(areGroups(['Domain Users', 'cn=ops;ou=it', '7f3c-11', 'g'.repeat(64)])).toBe(true);
  });

  it.each([
    ['an empty name', ['']],
    ['a comma', ['a,b']],
    ['a blank at an end', [' a']],
    ['two blanks in a row', ['a  b']],
    ['a tab', ['a\tb']],
    ['an invisible character', ['a\u200bb']],
    ['half a surrogate pair', ['\ud83d']],
    ['65 characters', ['g'.repeat(65)]],
    ['more than 1024 characters in total', Array.from({ length: 21 }, (_, n) => String(n).padStart(50, 'g'))],
  ])('have no name with %s', (_name, groups) => {
    expect(areGroups(groups)).toBe(false);
  });
});
