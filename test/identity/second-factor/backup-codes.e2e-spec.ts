import { describe, expect, it } from 'vitest';
import { type Answer, textsOf } from '../../support/http/http-client.js';
import { type Enrolled, secondStep, storyOn } from '../../support/login/login-story.js';
import { onAnyEngine } from '../../support/database/story-database.js';

const BACKUP_CODE = /^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/;

onAnyEngine('backup codes', (engine) => {
  const story = storyOn(engine);

  async function use(person: Enrolled, code: string): Promise<Answer> {
    const client = story.client();
    return secondStep(client, await story.mfaToken(person, client), code);
  }

  it('a backup code completes a login, and the response reports how many are left', async () => {
    const person = await story.enrolled();

    const answer = await use(person, String(person.backupCodes[0]));

    expect(answer).toBeAnswered(200);
    expect(answer.body).toEqual({
      access_token: expect.any(String) as string,
      amr: ['pwd', 'otp'],
      token_type: 'Bearer',
      expires_in: 600,
      mfa_method: 'backup_code',
      backup_codes_remaining: 9,
      backup_codes_low: false,
    });
  });

  it('each of the ten backup codes works once', async () => {
    const person = await story.enrolled();
    const seen: unknown[] = [];
    for (const code of person.backupCodes) {
      const { status, body } = await use(person, code);
      seen.push([status, body['backup_codes_remaining'], body['backup_codes_low']]);
    }

    expect(seen).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map((left) => [200, left, left <= 3]));
    for (const code of person.backupCodes.slice(0, 4)) {
      expect(await use(person, code)).toBeRefused(401, 'MFA_CODE_INVALID');
    }
  });

  it.each([
    ['without the dash', (code: string) => code.replace('-', '')],
    ['in lower case', (code: string) => code.toLowerCase()],
    ['with spaces', (code: string) => ` ${code.replace('-', ' ')} `],
    ['with more dashes', (code: string) => Array.from(code.replace('-', '')).join('-')],
    [
      'with O for 0 and I or L for 1',
      (code: string) => code.replaceAll('0', 'O').replace('1', 'I').replaceAll('1', 'l'),
    ],
  ])('a backup code is accepted %s', async (_, spelling) => {
    const person = await story.enrolled();
    const code = person.backupCodes.find((shown) => /[01]/.test(shown)) ?? person.backupCodes[0];

    expect(await use(person, spelling(String(code)))).toBeAnswered(200);
  });

  it('a backup code of another user is rejected and stays usable by its owner', async () => {
    const [person, other] = [await story.enrolled(), await story.enrolled()];

    expect(await use(person, String(other.backupCodes[0]))).toBeRefused(401, 'MFA_CODE_INVALID');
    expect(await use(other, String(other.backupCodes[0]))).toBeAnswered(200);
  });

  it('a backup code is rejected while the user is locked and stays usable', async () => {
    const person = await story.enrolled();
    await story.lock(person);
    const code = String(person.backupCodes[0]);

    expect(await use(person, code)).toBeRefused(429, 'MFA_LOCKED');
    story.clock.advance(300);
    expect(await use(person, code)).toBeAnswered(200);
  });

  it('a correct backup code resets the failure count of the second factor', async () => {
    const person = await story.enrolled();
    for (const code of ['ZZZZ-ZZZZ', '0000-0000', 'ZZZZ-ZZZ0', 'ZZZZ-ZZ0Z']) {
      expect(await use(person, code)).toBeRefused(401, 'MFA_CODE_INVALID');
    }
    expect(await use(person, String(person.backupCodes[0]))).toBeAnswered(200);
    for (let variant = 0; variant < 4; variant += 1) {
      expect(await use(person, story.wrongCode(person, variant))).toBeRefused(401, 'MFA_CODE_INVALID');
    }

    expect(await use(person, String(person.backupCodes[1]))).toBeAnswered(200);
  });

  it('the database stores backup codes as hashes only', async () => {
    const person = await story.enrolled();
    const rows = await story.database.query<{ hash: string }>('SELECT hash FROM backup_code WHERE user_id = ?', [
      await story.subjectOf(person),
    ]);
    const stored = JSON.stringify(rows);

    expect(rows).toHaveLength(10);
    for (const code of person.backupCodes) {
      expect(stored).not.toContain(code);
      expect(stored).not.toContain(code.replace('-', ''));
    }
  });

  describe('POST /2fa/backup-codes', () => {
    it('T15: reissue returns ten new backup codes and invalidates the earlier ones', async () => {
      const person = await story.enrolled();
      const { client, accessToken: bearer } = await story.signIn(person);

      const answer = await client.post('/2fa/backup-codes', {}, { bearer });

      expect(answer).toBeAnswered(201);
      expect(answer.body).toEqual({ backup_codes: expect.any(Array) as string[] });
      expect(answer.headers.get('cache-control')).toBe('no-store');
      const codes = textsOf(answer, 'backup_codes');
      expect(codes).toHaveLength(10);
      expect(new Set([...codes, ...person.backupCodes]).size).toBe(20);
      for (const code of codes) expect(code).toMatch(BACKUP_CODE);
      for (const old of person.backupCodes.slice(0, 4)) {
        expect(await use(person, old)).toBeRefused(401, 'MFA_CODE_INVALID');
      }
      expect(await use(person, String(codes[9]))).toBeAnswered(200);
      const state = await client.get('/2fa', { bearer });
      expect(state.body['backup_codes']).toMatchObject({ remaining: 9, low: false });
    });

    it('reissue requires a recent second factor and otherwise keeps the backup codes', async () => {
      const person = story.person();
      const weak = await story.signInByPassword(person);
      const enrolled = await story.enrolled(person);
      story.clock.advance(301);

      for (const bearer of [weak.accessToken, enrolled.accessToken]) {
        const answer = await story.client().post('/2fa/backup-codes', {}, { bearer });
        expect(answer).toBeRefused(401, 'STEP_UP_REQUIRED');
      }
      expect(await use(enrolled, String(enrolled.backupCodes[0]))).toBeAnswered(200);
    });

    it('reissue sets no cookie and leaves the session valid', async () => {
      const person = await story.enrolled();
      const { client, accessToken: bearer } = await story.signIn(person);

      const answer = await client.post('/2fa/backup-codes', {}, { bearer });

      expect(answer).toBeAnswered(201);
      expect(answer.cookies).toEqual([]);
      expect(await client.get('/me', { bearer })).toBeAnswered(200);
    });
  });

  it('a backup code is accepted for step-up, password change and disabling the second factor', async () => {
    const person = await story.enrolled();
    const [first = '', second = '', third = ''] = person.backupCodes;
    const { client, accessToken: bearer } = await story.signIn(person);

    const stepUp = await client.post('/2fa/verify', { code: first }, { bearer });
    expect(stepUp).toBeAnswered(200);
    expect(stepUp.body).toMatchObject({ mfa_method: 'backup_code', backup_codes_remaining: 9 });
    const changed = await client.post(
      '/me/password',
      { current: person.password, new: 'eight loud lanterns & 2 harbours', code: second },
      { bearer },
    );
    expect(changed).toBeAnswered(204);
    expect(await client.post('/2fa/disable', { code: third }, { bearer })).toBeAnswered(204);
  });
});
