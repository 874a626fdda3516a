import { describe, expect, it } from 'vitest';
import { commonPasswords, passwordRejection } from './password-rules.js';

const facts = { loginId: 'anna@example.org', minLength: 8, isCommon: (password: string) => password === 'common-one' };

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
    ['too_common', 'Common-One'],
    ['too_common', 'ＣＯＭＭＯＮ-one'],
  ])('is rejected as %s', (problem, password) => {
    expect(passwordRejection(password, facts)).toBe(problem);
  });

  it('is compared with thousands of common passwords', async () => {
    const common = await commonPasswords();

    expect(common.size).toBeGreaterThan(10_000);
    for (const password of ['password', '12345678', 'qwertyuiop', 'iloveyou']) expect(common.has(password)).toBe(true);
  });
});
