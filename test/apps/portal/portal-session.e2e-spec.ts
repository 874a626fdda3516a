import { describe, expect, it } from 'vitest';
import { type HttpClient, setCookie, textOf } from '../../support/http/http-client.js';
import { PASSWORD, type Person, storyOn } from '../../support/login/login-story.js';
import { AuthenticatorApp } from '../../support/login/authenticator-app.js';
import { onAnyEngine } from '../../support/database/story-database.js';

const MINUTE = 60;
const SECRET = /^[\w-]{43}$/;

onAnyEngine('portal sessions', (engine) => {
  const story = storyOn(engine, { people: 60, others: { 'portal-boss': 'ROLE_MANAGEMENT', auditor: 'ROLE_AUDITOR' } });

  async function createSession(person: Person, browser = story.client()): Promise<HttpClient> {
    expect(await browser.post('/session', { id: person.id, pw: person.password })).toBeAnswered(200);
    return browser;
  }

  describe('the session of a user without a second factor', () => {
    it('the password creates a session and returns authorities instead of tokens', async () => {
      const browser = story.client();

      const answer = await browser.post('/session', { id: 'auditor', pw: PASSWORD });

      expect(answer).toBeAnswered(200);
      expect(answer.body).toEqual({
        mfa_required: false,
        authorities: ['ROLE_USER', 'ROLE_AUDITOR'],
        amr: ['pwd'],
      });
      expect(setCookie(answer, 'SESSION')?.value).toMatch(SECRET);
      expect(setCookie(answer, 'SESSION')?.attributes).toEqual({
        httponly: true,
        secure: true,
        samesite: 'Lax',
        path: '/',
      });
      expect(browser.cookie('refresh_token')).toBeUndefined();
    });

    it('a session is accepted where an access token is', async () => {
      const person = story.person();
      const browser = await createSession(person);

      const session = await browser.get('/session');

      expect(session).toBeAnswered(200);
      expect(session.body).toEqual({
        sub: await story.subjectOf(person),
        id: person.id,
        roles: [],
        amr: ['pwd'],
        acr: 'urn:login:acr:pwd',
        auth_time: expect.any(String) as string,
        authorities: ['ROLE_USER'],
      });
      expect(await browser.get('/me')).toBeAnswered(200);
      expect(await browser.get('/sessions')).toBeAnswered(200);
      expect(await browser.get('/me/settlement')).toBeRefused(401, 'STEP_UP_REQUIRED');
    });

    it('S7: every sign-in creates a new session id and ignores a planted one', async () => {
      const person = story.person();
      const browser = await createSession(person);
      const first = browser.cookie('SESSION');
      await createSession(person, browser);
      const planted = story.client();
      planted.plant('SESSION', 'P'.repeat(43));
      await createSession(person, planted);

      const values = [first, browser.cookie('SESSION'), planted.cookie('SESSION')];

      expect(new Set([...values, 'P'.repeat(43)]).size).toBe(4);
    });

    it('H5: a sign-in ends the previous session of the browser, also of another user, and records it', async () => {
      const [first, second] = [story.person(), story.person()];
      const browser = await createSession(first);
      const before = browser.cookie('SESSION') ?? '';
      await createSession(second, browser);

      const stolen = story.client();
      stolen.plant('SESSION', before);
      expect(await stolen.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
      expect((await browser.get('/session')).body['id']).toBe(second.id);
      expect(await story.events(first)).toContainEqual(
        expect.objectContaining({ kind: 'SESSION_REVOKED', reason: 'replaced' }),
      );
    });

    it('H5: a password step ends the full or half-authenticated session before it', async () => {
      const browser = await createSession(story.person());
      const full = browser.cookie('SESSION') ?? '';
      const enrolled = await story.enrolled();
      await createSession(enrolled, browser);
      const half = browser.cookie('SESSION') ?? '';
      await createSession(story.person(), browser);

      const stolen = story.client();
      stolen.plant('SESSION', full);
      expect(await stolen.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
      stolen.plant('SESSION', half);
      expect(await stolen.post('/2fa/verify', { code: story.codeOf(enrolled.app) })).toBeRefused(401, 'INVALID_TOKEN');
    });

    it('H5: a session survives a wrong password', async () => {
      const browser = await createSession(story.person());

      expect(await browser.post('/session', { id: 'nobody', pw: 'wrong wrong wrong' })).toBeRefused(
        401,
        'INVALID_CREDENTIALS',
      );

      expect(await browser.get('/me')).toBeAnswered(200);
    });

    it('S8: a session expires after 30 minutes without a request', async () => {
      const browser = await createSession(story.person());
      story.clock.advance(29 * MINUTE);
      expect(await browser.get('/me')).toBeAnswered(200);
      story.clock.advance(29 * MINUTE);
      expect(await browser.get('/me')).toBeAnswered(200);

      story.clock.advance(30 * MINUTE);

      expect(await browser.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
    });

    it('S8: a session expires 12 hours after sign-in even when it is in use', async () => {
      const browser = await createSession(story.person());
      for (let passed = 20; passed < 12 * 60; passed += 20) {
        story.clock.advance(20 * MINUTE);
        expect(await browser.get('/me')).toBeAnswered(200);
      }

      story.clock.advance(20 * MINUTE);

      expect(await browser.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
    });

    it('enrolment in a session returns no tokens and sets a new cookie', async () => {
      const browser = await createSession(story.person());
      const before = browser.cookie('SESSION') ?? '';
      const setup = await browser.post('/2fa/setup');
      expect(setup).toBeAnswered(201);
      const app = AuthenticatorApp.scan(textOf(setup, 'otpauth_uri'));

      const answer = await browser.post('/2fa/confirm', { code: story.codeOf(app) });

      expect(answer).toBeAnswered(200);
      expect(answer.body).toEqual({ state: 'active', amr: ['pwd', 'otp'] });
      expect(browser.cookie('refresh_token')).toBeUndefined();
      expect(browser.cookie('SESSION')).not.toBe(before);
      expect(await browser.get('/me/settlement')).toBeAnswered(200);
      const stolen = story.client();
      stolen.plant('SESSION', before);
      expect(await stolen.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
    });
  });

  describe('a half-authenticated session', () => {
    it('a half-authenticated session has only ROLE_PRE_MFA and expires after three minutes', async () => {
      const person = await story.enrolled();
      const browser = story.client();

      const answer = await browser.post('/session', { id: person.id, pw: PASSWORD });

      expect(answer).toBeAnswered(200);
      expect(answer.body).toEqual({
        mfa_required: true,
        authorities: ['ROLE_PRE_MFA'],
        expires_in: 180,
        methods: ['totp', 'backup_code'],
      });
      expect(setCookie(answer, 'SESSION')?.value).toMatch(SECRET);
      story.clock.advance(180);
      expect(await browser.post('/2fa/verify', { code: story.codeOf(person.app) })).toBeRefused(401, 'INVALID_TOKEN');
    });

    it('a half-authenticated session of an enrolled user gets 403 on protected routes', async () => {
      const person = await story.enrolled();
      const browser = await createSession(person);

      for (const [method, path] of [
        ['GET', '/me'],
        ['GET', '/session'],
        ['GET', '/sessions'],
        ['DELETE', '/sessions'],
        ['DELETE', '/sessions/x'],
        ['GET', '/me/events'],
        ['GET', '/me/devices'],
        ['GET', '/me/settlement'],
        ['POST', '/me/password'],
        ['POST', '/logout'],
        ['GET', '/2fa'],
        ['POST', '/2fa/setup'],
        ['POST', '/2fa/confirm'],
        ['POST', '/2fa/disable'],
        ['POST', '/2fa/backup-codes'],
        ['GET', '/2fa/setup/qr.svg'],
      ] as const) {
        const json = /confirm|disable/.test(path) ? { code: '123456' } : {};
        const answer = await browser.send(method, path, method === 'POST' ? { json } : {});
        expect(answer, `${method} ${path}`).toBeRefused(403, 'MFA_REQUIRED');
      }
    });

    it('a half-authenticated session has no effect on public routes', async () => {
      const browser = await createSession(await story.enrolled());

      expect(await browser.get('/')).toBeAnswered(200);
      expect(await browser.get('/.well-known/jwks.json')).toBeAnswered(200);
      expect(await browser.post('/token/refresh')).toBeRefused(401, 'REFRESH_INVALID');
      expect(await browser.get('/nowhere')).toBeAnswered(404);
    });

    it('a correct one-time code replaces the half-authenticated session with a full one under a new id', async () => {
      const person = await story.enrolled();
      const browser = await createSession(person);
      const half = browser.cookie('SESSION') ?? '';

      const answer = await browser.post('/2fa/verify', { code: story.nextCode(person) });

      expect(answer).toBeAnswered(200);
      expect(answer.body).toEqual({ amr: ['pwd', 'otp'], mfa_method: 'totp' });
      expect(setCookie(answer, 'SESSION')?.value).toMatch(SECRET);
      expect(browser.cookie('SESSION')).not.toBe(half);
      expect((await browser.get('/session')).body).toMatchObject({ authorities: ['ROLE_USER'], amr: ['pwd', 'otp'] });
      const old = story.client();
      old.plant('SESSION', half);
      expect(await old.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
      expect(await old.post('/2fa/verify', { code: story.nextCode(person) })).toBeRefused(401, 'INVALID_TOKEN');
    });

    it('a wrong one-time code leaves the session half-authenticated', async () => {
      const person = await story.enrolled();
      const browser = await createSession(person);

      const wrong = await browser.post('/2fa/verify', { code: story.wrongCode(person) });

      expect(wrong).toBeRefused(401, 'MFA_CODE_INVALID');
      expect(await browser.get('/me')).toBeRefused(403, 'MFA_REQUIRED');
      expect(await browser.post('/2fa/verify', { code: story.nextCode(person) })).toBeAnswered(200);
    });

    it('a half-authenticated session id is not accepted as an mfa_token', async () => {
      const person = await story.enrolled();
      const browser = await createSession(person);
      const half = browser.cookie('SESSION') ?? '';

      const answer = await browser.post('/login/2fa', { mfa_token: half, code: story.nextCode(person) });

      expect(answer).toBeRefused(401, 'MFA_TOKEN_INVALID');
    });

    it('an enrolment that policy requires turns a half-authenticated session into a full one', async () => {
      const browser = story.client();
      const begun = await browser.post('/session', { id: 'portal-boss', pw: PASSWORD });
      expect(begun.body).toEqual({
        mfa_required: true,
        authorities: ['ROLE_PRE_MFA'],
        expires_in: 600,
        enrolment_required: true,
        methods: [],
        enrolment_methods: ['passkey', 'totp'],
      });
      const setup = await browser.post('/2fa/setup');
      expect(setup).toBeAnswered(201);
      const app = AuthenticatorApp.scan(textOf(setup, 'otpauth_uri'));

      const answer = await browser.post('/2fa/confirm', { code: story.codeOf(app) });

      expect(answer).toBeAnswered(200);
      expect(answer.body).toEqual({ state: 'active', amr: ['pwd', 'otp'] });
      expect((await browser.get('/session')).body).toMatchObject({ authorities: ['ROLE_USER', 'ROLE_MANAGEMENT'] });
      expect(await browser.get('/me/settlement')).toBeAnswered(200);
    });
  });

  describe('the end of a portal session', () => {
    it('DELETE /session ends the session and needs no authentication', async () => {
      const browser = await createSession(story.person());
      const copy = browser.copy();

      const answer = await browser.delete('/session');

      expect(answer).toBeAnswered(204);
      expect(browser.cookie('SESSION')).toBeUndefined();
      expect(await copy.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
      expect(await story.client().delete('/session')).toBeAnswered(204);
      expect(await copy.delete('/session')).toBeAnswered(204);
    });

    it('POST /logout ends the session and removes its cookie', async () => {
      const browser = await createSession(story.person());
      const copy = browser.copy();

      expect(await browser.post('/logout')).toBeAnswered(204);

      expect(browser.cookie('SESSION')).toBeUndefined();
      expect(await copy.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
    });

    it('a password change in another session ends the session', async () => {
      const person = story.person();
      const browser = await createSession(person);
      const { client, accessToken: bearer } = await story.signInByPassword(person);
      const change = { current: PASSWORD, new: 'eight loud lanterns & 2 harbours' };

      expect(await client.post('/me/password', change, { bearer })).toBeAnswered(204);

      expect(await browser.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
    });
  });

  it('an Authorization header overrides the session, even when it is invalid', async () => {
    const [person, other] = [story.person(), story.person()];
    const browser = await createSession(person);
    const { accessToken } = await story.signInByPassword(other);

    const byToken = await browser.get('/me', { bearer: accessToken });
    const byBadToken = await browser.get('/me', { bearer: `${accessToken}x` });
    const byOtherScheme = await browser.get('/me', { headers: { authorization: 'Basic eDp5' } });

    expect(byToken.body['id']).toBe(other.id);
    expect(byBadToken).toBeRefused(401, 'INVALID_TOKEN');
    expect(byOtherScheme).toBeRefused(401, 'INVALID_TOKEN');
  });

  it('the database does not contain the session id', async () => {
    const browser = await createSession(story.person());

    const rows = JSON.stringify(await story.database.query('SELECT * FROM session'));

    expect(rows).not.toContain(browser.cookie('SESSION'));
  });
});
