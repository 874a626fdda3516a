import { describe, expect, it } from 'vitest';
import { normalForm, passwordRejection } from './password-rules.js';

const facts = { loginId: 'anna@example.org', minLength: 8 };

describe('a new password', () => {
  it.each([
    ['eight characters', 'k3ttl3-x'],
    ['blanks and no digit', 'kettle orbit seven'],
    ['other scripts', 'пароль-чайник'],
    ['1024 bytes', 'ä'.repeat(512)],
    ['eight symbols of several units', '🫖'.repeat(8)],
  ])('is accepted: %s', (_name, password) => {
    expect(passwordRejection(password, facts)).toBeUndefined();
  });

  it.each([
    ['too_short', 'k3ttl3-'],
    ['too_short', '🫖'.repeat(7)],
    ['too_short', ''],
    ['too_long', `${'ä'.repeat(512)}x`],
    ['malformed', 'kettle-\ud800-orbit'],
    ['same_as_id', 'Anna@Example.org'],
  ])('is rejected as %s', (problem, password) => {
    expect(passwordRejection(password, facts)).toBe(problem);
  });

  it('U9: counts composed characters, in whichever form they were typed', () => {
    const syllables = '주전자와궤도'.normalize('NFD');

    expect(Array.from(syllables).length).toBeGreaterThan(8);
    expect(passwordRejection(syllables, facts)).toBe('too_short');
    expect(normalForm(syllables)).toBe('주전자와궤도');
  });
});
