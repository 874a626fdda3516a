import { decodeJwt, decodeProtectedHeader } from 'jose';
import { describe, expect, it } from 'vitest';
import { setCookie, textOf } from '../../support/http/http-client.js';
import { secondStep, storyOn } from '../../support/login/login-story.js';
import { onAnyEngine } from '../../support/database/story-database.js';

const THREE_MINUTES = 180;

onAnyEngine('the second login step', (engine) => {
  const story = storyOn(engine, { people: 60 });

  it('a correct one-time code completes the login', async () => {
    const person = await story.enrolled();
    const client = story.client();
    const code = story.nextCode(person);
    const token = await story.mfaToken(person, client);

    const answer = await secondStep(client, token, code);

    expect(answer).toBeAnswered(200);
    expect(answer.body).toEqual({
      access_token: expect.any(String) as string,
      amr: ['pwd', 'otp'],
      token_type: 'Bearer',
      expires_in: 600,
      mfa_method: 'totp',
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(setCookie(answer, 'refresh_token')?.attributes).toEqual({
      httponly: true,
      secure: true,
      samesite: 'Strict',
      path: '/token',
      'max-age': String(14 * 24 * 3600),
    });
    expect(await client.get('/me', { bearer: textOf(answer, 'access_token') })).toBeAnswered(200);
  });

  describe('mfa_token', () => {
    it('J6: an mfa_token has exactly the specified claims, a lifetime of three minutes and a unique jti', async () => {
      const person = await story.enrolled();

      const tokens = [await story.mfaToken(person), await story.mfaToken(person)];

      const [first, second] = tokens.map((token) => decodeJwt(token));
      expect(decodeProtectedHeader(tokens[0] ?? '')).toEqual({
        alg: 'HS256',
        typ: 'mfa+jwt',
        kid: expect.any(String) as string,
      });
      expect(first).toEqual({
        iss: expect.any(String) as string,
        sub: await story.subjectOf(person),
        aud: 'mfa',
        iat: story.clock.seconds,
        exp: story.clock.seconds + THREE_MINUTES,
        jti: expect.stringMatching(/^[\w-]{22,}$/) as string,
        amr: ['pwd'],
        epoch: expect.any(Number) as number,
      });
      expect(second?.jti).not.toBe(first?.jti);
    });

    it('J6: an mfa_token is accepted until its last second and expires after three minutes', async () => {
      const person = await story.enrolled();
      const early = await story.mfaToken(person);
      const late = await story.mfaToken(person);

      story.clock.advance(THREE_MINUTES - 1);
      expect(await secondStep(story.client(), early, story.codeOf(person.app))).toBeAnswered(200);

      story.clock.advance(1);
      const answer = await secondStep(story.client(), late, story.codeOf(person.app));
      expect(answer).toBeRefused(401, 'MFA_TOKEN_INVALID');
    });

    it('only a success uses up an mfa_token', async () => {
      const person = await story.enrolled();
      const token = await story.mfaToken(person);

      const wrong = await secondStep(story.client(), token, story.wrongCode(person));
      const right = await secondStep(story.client(), token, story.nextCode(person));
      const again = await secondStep(story.client(), token, story.nextCode(person));

      expect(wrong).toBeRefused(401, 'MFA_CODE_INVALID');
      expect(right).toBeAnswered(200);
      expect(again).toBeRefused(401, 'MFA_TOKEN_INVALID');
    });

    it('T14: a used mfa_token costs neither the code nor an attempt', async () => {
      const person = await story.enrolled();
      const used = await story.mfaToken(person);
      const fresh = await story.mfaToken(person);
      await secondStep(story.client(), used, story.nextCode(person));
      const code = story.nextCode(person);

      for (let tries = 0; tries < 6; tries += 1) {
        expect(await secondStep(story.client(), used, code)).toBeRefused(401, 'MFA_TOKEN_INVALID');
      }

      expect(await secondStep(story.client(), fresh, code)).toBeAnswered(200);
    });

    it('a malformed body is rejected before the mfa_token or the code is used', async () => {
      const person = await story.enrolled();
      const token = await story.mfaToken(person);
      const code = story.nextCode(person);

      for (const body of [
        { mfa_token: token },
        { code },
        { mfa_token: token, code: Number(code) },
        { mfa_token: [token], code },
        { mfa_token: token, code, trust_device: 'yes' },
        { mfa_token: token, code, step: 1 },
        { mfa_token: '', code },
        { mfa_token: token, code: '' },
      ]) {
        expect(await story.client().post('/login/2fa', body)).toBeRefused(400, 'VALIDATION_FAILED');
      }
      expect(await secondStep(story.client(), 'no.jws.here', code)).toBeRefused(401, 'MFA_TOKEN_INVALID');
      expect(await secondStep(story.client(), token, code)).toBeAnswered(200);
    });
  });

  describe('one-time codes', () => {
    it('T1: a one-time code works only once', async () => {
      const person = await story.enrolled();
      const code = story.nextCode(person);
      expect(await secondStep(story.client(), await story.mfaToken(person), code)).toBeAnswered(200);

      const answer = await secondStep(story.client(), await story.mfaToken(person), code);

      expect(answer).toBeRefused(401, 'MFA_CODE_INVALID');
    });

    it('a user cannot sign in twice with the one-time code of one 30-second step', async () => {
      const person = await story.enrolled();
      story.clock.advance(60 - (story.clock.seconds % 30));
      const [code, next] = [story.codeOf(person.app), story.codeOf(person.app, 1)];
      expect(await secondStep(story.client(), await story.mfaToken(person), code)).toBeAnswered(200);

      // The last second of the step, in another browser.
      story.clock.advance(29);
      expect(story.codeOf(person.app)).toBe(code);
      const second = await story.mfaToken(person);
      const again = await secondStep(story.client(), second, code);

      expect(again).toBeRefused(401, 'MFA_CODE_INVALID');
      expect(again.cookies).toEqual([]);
      // A backup code and the code of the next step still work at once.
      const byBackupCode = await secondStep(story.client(), second, person.backupCodes[0] ?? '');
      expect(byBackupCode).toBeAnswered(200);
      const byNext = await secondStep(story.client(), await story.mfaToken(person), next);
      expect(byNext).toBeAnswered(200);
    });

    it('T2: the code of the current step is rejected once the next one was used', async () => {
      const person = await story.enrolled();
      story.clock.nextStep();
      const [present, next] = [story.codeOf(person.app), story.codeOf(person.app, 1)];
      expect(await secondStep(story.client(), await story.mfaToken(person), next)).toBeAnswered(200);

      const answer = await secondStep(story.client(), await story.mfaToken(person), present);

      expect(answer).toBeRefused(401, 'MFA_CODE_INVALID');
    });

    it('T3: the code that confirmed the enrolment does not sign in', async () => {
      const person = await story.enrolled();

      const answer = await secondStep(story.client(), await story.mfaToken(person), story.codeOf(person.app));

      expect(answer).toBeRefused(401, 'MFA_CODE_INVALID');
    });

    it.each([-1, 0, 1])('T4: the code of step %i is accepted', async (stepsLater) => {
      const person = await story.enrolled();
      story.clock.advance(90);

      const answer = await secondStep(
        story.client(),
        await story.mfaToken(person),
        story.codeOf(person.app, stepsLater),
      );

      expect(answer).toBeAnswered(200);
    });

    it.each([-3, -2, 2, 3, 5])('T4: the code of step %i is rejected', async (stepsLater) => {
      const person = await story.enrolled();
      story.clock.advance(300);

      const answer = await secondStep(
        story.client(),
        await story.mfaToken(person),
        story.codeOf(person.app, stepsLater),
      );

      expect(answer).toBeRefused(401, 'MFA_CODE_INVALID');
    });

    it('T4: a code is accepted from the first second of the step before to the last second of the step after', async () => {
      const person = await story.enrolled();
      story.clock.advance(300 - (story.clock.seconds % 30));
      const code = story.codeOf(person.app, 2);
      const attempt = async (): Promise<number> =>
        (await secondStep(story.client(), await story.mfaToken(person), code)).status;

      story.clock.advance(29);
      expect(await attempt()).toBe(401);
      story.clock.advance(1);
      expect(await attempt()).toBe(200);
      story.clock.advance(300);
      const other = story.codeOf(person.app, -1);
      story.clock.advance(29);
      expect(await secondStep(story.client(), await story.mfaToken(person), other)).toBeAnswered(200);
    });

    it('T5: only the clock of the service decides whether a code is accepted', async () => {
      const person = await story.enrolled();
      story.clock.advance(600);
      const old = story.codeOf(person.app, -4);
      const date = new Date((story.clock.seconds - 120) * 1000).toUTCString();
      const token = await story.mfaToken(person);

      const byHeaders = await story
        .client()
        .post(
          '/login/2fa',
          { mfa_token: token, code: old },
          { headers: { date, 'x-date': date, 'x-timestamp': String(story.clock.seconds - 120), 'x-window': '10' } },
        );
      const byMembers = await story
        .client()
        .post('/login/2fa', { mfa_token: token, code: old, time: story.clock.seconds - 120, step: 1, window: 10 });
      const byQuery = await story.client().post('/login/2fa?window=10&step=1', { mfa_token: token, code: old });

      expect(byHeaders).toBeRefused(401, 'MFA_CODE_INVALID');
      expect(byMembers).toBeRefused(400, 'VALIDATION_FAILED');
      expect(byQuery).toBeRefused(401, 'MFA_CODE_INVALID');
    });

    it('a code may contain a space between its digits, as phones show it', async () => {
      const person = await story.enrolled();
      const code = story.nextCode(person);

      const answer = await secondStep(
        story.client(),
        await story.mfaToken(person),
        `${code.slice(0, 3)} ${code.slice(3)}`,
      );

      expect(answer).toBeAnswered(200);
    });

    it.each([
      ['full-width digits', (code: string) => code.replace(/\d/g, (d) => String.fromCharCode(0xff10 + Number(d)))],
      ['Arabic digits', (code: string) => code.replace(/\d/g, (d) => String.fromCharCode(0x660 + Number(d)))],
      ['a sign', (code: string) => `+${code.slice(1)}`],
      ['an exponent', (code: string) => `${code.slice(0, 4)}e0`],
      ['seven digits', (code: string) => `0${code}`],
      ['five digits', (code: string) => code.slice(1)],
      ['letters', () => 'abcdef'],
      ['nothing but spaces', () => '      '],
    ])('a code in the form of %s is rejected', async (_, spelling) => {
      const person = await story.enrolled();
      const code = spelling(story.nextCode(person));

      const answer = await secondStep(story.client(), await story.mfaToken(person), code);

      expect(answer).toBeRefused(400, 'VALIDATION_FAILED');
    });

    it('the code of another user is rejected', async () => {
      const [person, other] = [await story.enrolled(), await story.enrolled()];
      const code = story.nextCode(other);

      const answer = await secondStep(story.client(), await story.mfaToken(person), code);

      expect(answer).toBeRefused(401, 'MFA_CODE_INVALID');
    });
  });

  it('H6: rejects 50 KB of input by its format and counts no failure', async () => {
    const person = await story.enrolled();
    const token = await story.mfaToken(person);
    const long = [
      '1'.repeat(50_000),
      ' '.repeat(50_000),
      'A-'.repeat(25_000),
      'a.'.repeat(25_000),
      `${token}.`.repeat(99),
    ];
    for (const text of long) {
      const [byCode, byToken] = [
        await secondStep(story.client(), token, text),
        await secondStep(story.client(), text, '123456'),
      ];
      expect(byCode).toBeRefused(400, 'VALIDATION_FAILED');
      expect(byCode.body['errors']).toEqual([{ field: 'code', code: 'format' }]);
      expect(byToken).toBeRefused(400, 'VALIDATION_FAILED');
      expect(byToken.body['errors']).toEqual([{ field: 'mfa_token', code: 'too_long' }]);
    }

    expect(await story.events(person)).not.toContainEqual(expect.objectContaining({ kind: 'MFA_FAILED' }));
    expect(await secondStep(story.client(), token, story.nextCode(person))).toBeAnswered(200);
  });

  it('S7: issues a new refresh token and ignores a planted one', async () => {
    const person = await story.enrolled();
    const planted = 'A'.repeat(43);
    const client = story.client();
    client.plant('refresh_token', planted);

    const { answer } = await story.signIn(person, client);

    const cookie = setCookie(answer, 'refresh_token');
    expect(cookie?.value).toMatch(/^[\w-]{43}$/);
    expect(cookie?.value).not.toBe(planted);
  });

  it('T20: no other token is accepted as an mfa_token, and an mfa_token is accepted nowhere else', async () => {
    const person = await story.enrolled();
    const { client, accessToken } = await story.signIn(person);
    const code = story.nextCode(person);
    const token = await story.mfaToken(person);
    const jti = String(decodeJwt(token).jti);
    const sid = String(decodeJwt(accessToken)['sid']);
    const refreshToken = client.cookie('refresh_token') ?? '';

    for (const other of [accessToken, refreshToken, jti, sid]) {
      expect(await secondStep(story.client(), other, code)).toBeRefused(401, 'MFA_TOKEN_INVALID');
    }
    for (const other of [token, refreshToken, jti, sid]) {
      expect(await story.client().get('/me', { bearer: other })).toBeRefused(401, 'INVALID_TOKEN');
    }
    for (const other of [token, accessToken, jti, sid]) {
      const thief = story.client();
      thief.plant('refresh_token', other);
      expect(await thief.post('/token/refresh')).toBeRefused(401, 'REFRESH_INVALID');
      thief.plant('SESSION', other);
      expect(await thief.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
    }
  });
});
