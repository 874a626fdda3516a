import { SignJWT, decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { type Answer, textOf } from '../../support/http/http-client.js';
import { type Enrolled, refresh, secondStep, storyOn } from '../../support/login/login-story.js';
import { onEachEngine } from '../../support/database/story-database.js';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const FIRST_LOCK = 5 * MINUTE;

onEachEngine('lock of the second factor', (engine) => {
  const story = storyOn(engine, { people: 60 });

  /** One attempt with a new mfa_token. */
  async function attempt(person: Enrolled, code: string): Promise<Answer> {
    const client = story.client();
    return secondStep(client, await story.mfaToken(person, client), code);
  }

  async function fail(person: Enrolled, times: number): Promise<void> {
    for (let variant = 0; variant < times; variant += 1) {
      expect(await attempt(person, story.wrongCode(person, variant))).toBeRefused(401, 'MFA_CODE_INVALID');
    }
  }

  /** One attempt with the correct code of the next step. */
  async function rightCode(person: Enrolled): Promise<Answer> {
    const code = story.nextCode(person);
    return attempt(person, code);
  }

  describe('start of a lock', () => {
    it('the fifth wrong code gets MFA_CODE_INVALID and locks the user for five minutes', async () => {
      const person = await story.enrolled();
      await fail(person, 5);

      const right = await attempt(person, story.codeOf(person.app, 1));

      expect(right).toBeRefused(429, 'MFA_LOCKED');
      expect(right.headers.get('retry-after')).toBe(String(FIRST_LOCK));
      story.clock.advance(FIRST_LOCK - 1);
      const last = await attempt(person, story.codeOf(person.app));
      expect(last).toBeRefused(429, 'MFA_LOCKED');
      expect(last.headers.get('retry-after')).toBe('1');
      story.clock.advance(1);
      expect(await attempt(person, story.codeOf(person.app))).toBeAnswered(200);
    });

    it('T8: wrong codes lock the user across tokens, addresses, clients and spellings of the login id', async () => {
      const person = await story.enrolled();
      const { id } = person;
      const spellings = [id, id.toUpperCase(), ` ${id} `, id.replace('p', '\uff50'), id.replace('o', '\uff2f')];
      for (const [variant, spelling] of spellings.entries()) {
        const client = story.client();
        client.headers['x-forwarded-for'] = `203.0.113.${variant + 1}`;
        client.headers['forwarded'] = `for=198.51.100.${variant + 1}`;
        client.headers['user-agent'] = `agent ${variant}`;
        const token = await story.mfaToken({ ...person, id: spelling }, client);
        expect(await secondStep(client, token, story.wrongCode(person, variant))).toBeRefused(401, 'MFA_CODE_INVALID');
      }

      expect(await rightCode(person)).toBeRefused(429, 'MFA_LOCKED');
    });

    it('T9: three wrong TOTP codes and two wrong backup codes lock both methods', async () => {
      const person = await story.enrolled();
      await fail(person, 3);
      expect(await attempt(person, 'ZZZZ-ZZZZ')).toBeRefused(401, 'MFA_CODE_INVALID');
      expect(await attempt(person, 'ZZZZ-ZZZY')).toBeRefused(401, 'MFA_CODE_INVALID');

      expect(await rightCode(person)).toBeRefused(429, 'MFA_LOCKED');
      expect(await attempt(person, person.backupCodes[0] ?? '')).toBeRefused(429, 'MFA_LOCKED');
    });

    it('five reused codes lock the user', async () => {
      const person = await story.enrolled();
      for (let tries = 0; tries < 5; tries += 1) {
        expect(await attempt(person, story.codeOf(person.app))).toBeRefused(401, 'MFA_CODE_INVALID');
      }

      expect(await rightCode(person)).toBeRefused(429, 'MFA_LOCKED');
    });

    it('wrong codes at confirm, step-up, disable and login add up to a lock', async () => {
      const person = await story.enrolled();
      const { client, accessToken: bearer } = await story.signIn(person);
      await client.post('/2fa/setup', {}, { bearer });
      const wrong = (variant: number): { code: string } => ({ code: story.wrongCode(person, variant) });
      for (const [variant, path] of ['/2fa/confirm', '/2fa/verify', '/2fa/disable', '/2fa/verify'].entries()) {
        expect(await client.post(path, wrong(variant), { bearer })).toBeRefused(401, 'MFA_CODE_INVALID');
      }
      await fail(person, 1);

      expect(await rightCode(person)).toBeRefused(429, 'MFA_LOCKED');
      for (const path of ['/2fa/verify', '/2fa/disable']) {
        const answer = await client.post(path, { code: story.codeOf(person.app) }, { bearer });
        expect(answer, path).toBeRefused(429, 'MFA_LOCKED');
      }
    });

    it('five wrong codes at a password change lock the user', async () => {
      const person = await story.enrolled();
      const { client, accessToken: bearer } = await story.signIn(person);
      story.clock.advance(6 * MINUTE);
      for (let variant = 0; variant < 5; variant += 1) {
        const body = { current: person.password, new: 'another long enough 1', code: story.wrongCode(person, variant) };
        expect(await client.post('/me/password', body, { bearer })).toBeRefused(401, 'MFA_CODE_INVALID');
      }

      expect(await rightCode(person)).toBeRefused(429, 'MFA_LOCKED');
    });

    it('T10: a locked user gets the same response for right, wrong, reused and backup codes and an earlier mfa_token', async () => {
      const person = await story.enrolled();
      const old = await story.mfaToken(person);
      await story.lock(person);
      const comparable = ({ status, text, headers }: Answer): unknown => ({
        status,
        retryAfter: headers.get('retry-after'),
        text: text.replace(/"request_id":"[^"]*"/, '').replace(/"timestamp":"[^"]*"/, ''),
      });
      const wrong = comparable(await attempt(person, story.wrongCode(person)));

      const others = [
        await attempt(person, story.codeOf(person.app, 1)),
        await attempt(person, story.codeOf(person.app)),
        await attempt(person, person.backupCodes[0] ?? ''),
        await secondStep(story.client(), old, story.codeOf(person.app, 1)),
      ];

      for (const answer of others) expect(comparable(answer)).toEqual(wrong);
    });

    it('neither right nor wrong codes extend a lock', async () => {
      const person = await story.enrolled();
      await story.lock(person);

      for (let tries = 0; tries < 20; tries += 1) {
        story.clock.advance(14);
        const code = tries % 2 === 0 ? story.wrongCode(person, tries) : story.codeOf(person.app);
        expect(await attempt(person, code)).toBeRefused(429, 'MFA_LOCKED');
      }

      story.clock.advance(20);
      expect(await attempt(person, story.codeOf(person.app))).toBeAnswered(200);
    });

    it('GET /2fa reports the lock to the user, whose session continues', async () => {
      const person = await story.enrolled();
      const { client, accessToken: bearer } = await story.signIn(person);
      await story.lock(person);

      const state = await client.get('/2fa', { bearer });

      expect(state).toBeAnswered(200);
      expect(state.body).toMatchObject({ state: 'active', locked_until: expect.any(String) as string });
      expect(await client.get('/me', { bearer })).toBeAnswered(200);
      expect(await refresh(client)).toBeAnswered(200);
    });
  });

  describe('end of a lock', () => {
    it('T12: a lock expires by itself, and four more failures do not lock the user again', async () => {
      const person = await story.enrolled();
      await story.lock(person);
      story.clock.advance(FIRST_LOCK);

      await fail(person, 4);
      expect(await rightCode(person)).toBeAnswered(200);
    });

    it('an mfa_token from before a lock is rejected after unlock, and one from during the lock is accepted', async () => {
      const person = await story.enrolled();
      const before = await story.mfaToken(person);
      await story.lock(person);
      const during = await story.mfaToken(person);
      story.clock.advance(170);
      const { exitCode } = await story.command('users', 'unlock', person.id);
      expect(exitCode).toBe(0);

      expect(await secondStep(story.client(), before, story.codeOf(person.app))).toBeRefused(401, 'MFA_TOKEN_INVALID');
      expect(await secondStep(story.client(), during, story.codeOf(person.app))).toBeAnswered(200);
    });

    it('T12: each lock lasts twice as long, up to an hour, until a success resets the duration', async () => {
      const person = await story.enrolled();
      for (const minutes of [5, 10, 20, 40, 60, 60]) {
        await story.lock(person);
        const locked = await attempt(person, story.wrongCode(person));
        expect(locked).toBeRefused(429, 'MFA_LOCKED');
        expect(locked.headers.get('retry-after')).toBe(String(minutes * MINUTE));
        story.clock.advance(minutes * MINUTE - 1);
        expect(await attempt(person, story.codeOf(person.app))).toBeRefused(429, 'MFA_LOCKED');
        story.clock.advance(1);
      }

      expect(await rightCode(person)).toBeAnswered(200);
      await story.lock(person);
      const afresh = await attempt(person, story.wrongCode(person));
      expect(afresh.headers.get('retry-after')).toBe(String(FIRST_LOCK));
    });

    it('T12: the lock duration is reset 24 hours after the last failure, and not before', async () => {
      const person = await story.enrolled();
      await story.lock(person);
      story.clock.advance(24 * HOUR - 1);
      await fail(person, 1);
      story.clock.advance(1);
      await fail(person, 4);
      expect((await attempt(person, '000000')).headers.get('retry-after')).toBe(String(2 * FIRST_LOCK));

      story.clock.advance(24 * HOUR);
      await story.lock(person);

      expect((await attempt(person, '000000')).headers.get('retry-after')).toBe(String(FIRST_LOCK));
    });

    it('T12: after 100 failures in a row only users unlock ends the lock', async () => {
      const person = await story.enrolled();
      for (let locks = 0; locks < 20; locks += 1) {
        await story.lock(person);
        story.clock.advance(HOUR);
      }

      expect(await rightCode(person)).toBeRefused(429, 'MFA_LOCKED');
      story.clock.advance(30 * 24 * HOUR);
      expect(await rightCode(person)).toBeRefused(429, 'MFA_LOCKED');
      expect(await attempt(person, person.backupCodes[0] ?? '')).toBeRefused(429, 'MFA_LOCKED');

      const { exitCode } = await story.command('users', 'unlock', person.id);
      expect(exitCode).toBe(0);
      expect(await rightCode(person)).toBeAnswered(200);
    });

    it('T12: after 100 failures and users unlock, five more failures lock the user without expiry', async () => {
      const person = await story.enrolled();
      // The state after 96 failures.
      await story.database.query('UPDATE account SET failures_in_row = 96 WHERE login_id = ?', [person.id]);
      await fail(person, 4);
      expect(await rightCode(person)).toBeRefused(429, 'MFA_LOCKED');
      story.clock.advance(2 * HOUR);
      expect(await rightCode(person)).toBeRefused(429, 'MFA_LOCKED');
      expect((await story.command('users', 'unlock', person.id)).exitCode).toBe(0);
      await fail(person, 5);

      story.clock.advance(24 * HOUR);

      expect(await rightCode(person)).toBeRefused(429, 'MFA_LOCKED');
      const owner = await person.client.post('/token/refresh');
      const state = await person.client.get('/2fa', { bearer: textOf(owner, 'access_token') });
      expect(state.body).toHaveProperty('locked_until');
    });

    it('users unlock reports whether the user was locked', async () => {
      const person = await story.enrolled();
      await story.lock(person);
      const unlock = (): Promise<unknown> => story.command('users', 'unlock', person.id);

      expect(await unlock()).toMatchObject({ exitCode: 0, stdout: `${person.id}: unlocked.\n` });
      expect(await unlock()).toMatchObject({ exitCode: 0, stdout: `${person.id}: nothing to unlock.\n` });
    });

    it('users unlock does not reset the duration of the next lock', async () => {
      const person = await story.enrolled();
      await story.lock(person);
      const { exitCode } = await story.command('users', 'unlock', person.id);
      expect(exitCode).toBe(0);

      await story.lock(person);

      expect((await attempt(person, '000000')).headers.get('retry-after')).toBe(String(2 * FIRST_LOCK));
      expect(await story.countOf(person, 'MFA_UNLOCKED')).toBe(1);
    });
  });

  describe('attempts that do not lock', () => {
    it('T9: a success with a TOTP code or a backup code resets the failure count', async () => {
      const person = await story.enrolled();
      for (let rounds = 0; rounds < 2; rounds += 1) {
        await fail(person, 4);
        expect(await rightCode(person)).toBeAnswered(200);
      }
      await fail(person, 4);
      expect(await attempt(person, person.backupCodes[0] ?? '')).toBeAnswered(200);
      await fail(person, 4);

      expect(await rightCode(person)).toBeAnswered(200);
    });

    it('malformed bodies add no failure', async () => {
      const person = await story.enrolled();
      const token = await story.mfaToken(person);
      for (let tries = 0; tries < 8; tries += 1) {
        const answer = await story.client().post('/login/2fa', { mfa_token: token, code: 7 });
        expect(answer).toBeRefused(400, 'VALIDATION_FAILED');
      }

      expect(await rightCode(person)).toBeAnswered(200);
    });

    it('T11: forged and altered tokens add no failure to their subject', async () => {
      const person = await story.enrolled();
      const token = await story.mfaToken(person);
      const claims = decodeJwt(token);
      const [header = '', payload = '', signature = ''] = token.split('.');
      const forged = await new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', typ: 'mfa+jwt' })
        .sign(new TextEncoder().encode('an attacker signs with whatever he has'));
      const bent = Buffer.from(JSON.stringify({ ...claims, jti: 'A'.repeat(22) })).toString('base64url');
      const none = Buffer.from('{"alg":"none","typ":"mfa+jwt"}').toString('base64url');
      const attacks = [
        forged,
        `${header}.${bent}.${signature}`,
        `${none}.${payload}.`,
        `${header}.${payload}.`,
        `${header}.${payload}.${'A'.repeat(signature.length)}`,
      ];
      for (let rounds = 0; rounds < 2; rounds += 1) {
        for (const attack of attacks) {
          expect(await secondStep(story.client(), attack, '000000')).toBeRefused(401, 'MFA_TOKEN_INVALID');
        }
      }

      expect(await story.countOf(person, 'MFA_FAILED')).toBe(0);
      expect(await rightCode(person)).toBeAnswered(200);
    });

    it('wrong passwords do not lock the second factor', async () => {
      const person = await story.enrolled();
      for (let tries = 0; tries < 10; tries += 1) {
        await story.client().post('/login', { id: person.id, pw: 'wrong' });
      }

      expect(await rightCode(person)).toBeAnswered(200);
    });
  });

  it('a correct password does not reset the failure count of the second factor', async () => {
    const person = await story.enrolled();
    for (let variant = 0; variant < 5; variant += 1) {
      await story.login(person);
      await fail(person, 1);
      await story.login(person);
    }

    expect(await rightCode(person)).toBeRefused(429, 'MFA_LOCKED');
  });

  it('a lock ends the half-authenticated sessions opened before it', async () => {
    const person = await story.enrolled();
    const browser = story.client();
    const passwordStep = await browser.post('/session', { id: person.id, pw: person.password });
    expect(passwordStep.body).toMatchObject({ authorities: ['ROLE_PRE_MFA'] });
    await story.lock(person);
    const { exitCode } = await story.command('users', 'unlock', person.id);
    expect(exitCode).toBe(0);

    const answer = await browser.post('/2fa/verify', { code: story.nextCode(person) });

    expect(answer).toBeAnswered(401);
    expect(answer.cookies.filter(({ value }) => value !== '')).toEqual([]);
  });
});
