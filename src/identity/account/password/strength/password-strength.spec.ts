import { afterAll, describe, expect, it } from 'vitest';
import { SystemRandom } from '../../../../kernel/random/random.js';
import { randomPassword } from '../password-rules.js';
import { latinKeys } from './dubeolsik.js';
import { PasswordStrength, ServiceWords } from './password-strength.js';

const strength = new PasswordStrength(new ServiceWords(['Login service', 'login.example.net']));
const user = { loginId: 'minji.kim', email: 'minji.kim@mail.example.org', displayName: '박서율' };

afterAll(() => strength.close());

describe('the strength of a password', () => {
  it.each([
    ['repeated', 'aaaaaaaa'],
    ['repeated', '00000000'],
    ['repeated', '12345678901234567890'],
    ['sequence', 'abcdefgh'],
    ['keyboard_pattern', 'sdfghjkiuytr'],
    ['date', '2026-11-30'],
    ['like_common', 'Password2026!'],
    ['like_common', 'P@ssw0rd!!!!'],
    ['personal', 'loginservice'],
    ['personal', 'Login-Service'],
    ['personal', 'minji.kim1'],
    ['personal', 'minjikim2026'],
    ['personal', 'qkrtjdbf12'],
    ['personal', '박서율1234'],
    ['like_common', 'qlalfqjsgh'],
    ['like_common', 'qlalfqjsgh12'],
    ['like_common', 'tkfkdgo123'],
    ['like_common', '사랑해12'],
    ['common_words', 'summer2026'],
    ['too_guessable', 'xq7bmz'],
  ])('U9: is too low for the reason %s: %s', async (reason, password) => {
    const { score, ...rest } = await strength.of(password, user);

    expect(score).toBeLessThan(3);
    expect(rest.reason).toBe(reason);
  });

  it.each([
    ['unrelated words', 'correct horse battery staple'],
    ['other unrelated words', 'kettle-orbit-seven'],
    ['unrelated Korean words', '주전자 궤도 일곱 라디오'],
    ['twelve random characters', 'x7Gq!pL2vR9z'],
    ['another script', 'пароль-чайник'],
    ['a very long password', 'kettle orbit seven '.repeat(50)],
  ])('U9: is enough for %s', async (_name, password) => {
    expect((await strength.of(password, user)).score).toBeGreaterThanOrEqual(3);
  });

  it('U9: is enough for every generated password', async () => {
    const random = new SystemRandom();
    const scores = await Promise.all(
      Array.from({ length: 20 }, async () => (await strength.of(randomPassword(random), user)).score),
    );

    expect(Math.min(...scores)).toBe(4);
  });

  it('U9: names the most common passwords, whatever their case and width', async () => {
    for (const password of ['password', '12345678', 'QwertyUiop', 'ｉｌｏｖｅｙｏｕ']) {
      expect(await strength.of(password, user)).toMatchObject({ isCommon: true });
    }
    expect(await strength.of('kettle-orbit-seven', user)).toMatchObject({ isCommon: false });
  });

  it('U9: reports that the service is busy instead of accepting a password that cannot be estimated', async () => {
    const passwords = Array.from({ length: 200 }, (_, index) => `kettle-orbit-${index}`);
    const results = await Promise.allSettled(passwords.map((password) => strength.of(password, user)));

    const rejections = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    expect(rejections.length).toBeGreaterThan(0);
    expect(rejections.length).toBeLessThan(200);
    expect(rejections).toEqual(rejections.map(() => expect.objectContaining({ code: 'UNAVAILABLE' }) as unknown));
  });
});

it.each([
  ['비밀번호', 'qlalfqjsgh'],
  ['사랑해', 'tkfkdgo'],
  ['김민지', 'rlaalswl'],
  ['값없이 꽃', 'rkqtdjqtdl Rhc'],
  ['의사 왜 뷁 anna', 'dmltk dho qnpfr anna'],
])('U9: the keys of %s on a Korean keyboard are %s in Latin letters', (text, keys) => {
  expect(latinKeys(text)).toBe(keys);
});
