import { describe, expect, it } from 'vitest';
import { type HttpClient, setCookie, textOf } from '../support/http-client.js';
import { PASSWORD, type Person, storyOn } from '../support/login-story.js';
import { AuthenticatorApp } from '../support/authenticator-app.js';
import { onEachEngine } from '../support/story-database.js';

const MINUTE = 60;
const SECRET = /^[\w-]{43}$/;

onEachEngine('a session of the web portal', (engine) => {
  const story = storyOn(engine, { people: 60, others: { 'portal-boss': 'ROLE_MANAGEMENT', auditor: 'ROLE_AUDITOR' } });

  async function enter(person: Person, browser = story.client()): Promise<HttpClient> {
    expect(await browser.post('/session', { id: person.id, pw: person.password })).toBeAnswered(200);
    return browser;
  }

  describe('of a user without a second factor', () => {
    it('begins with the password, with authorities in place of tokens', async () => {
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

    it('stands wherever an access token does', async () => {
      const person = story.person();
      const browser = await enter(person);

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

    it('S7: has an id of its own at each login, never a planted one', async () => {
      const person = story.person();
      const browser = await enter(person);
      const first = browser.cookie('SESSION');
      await enter(person, browser);
      const planted = story.client();
      planted.plant('SESSION', 'P'.repeat(43));
      await enter(person, planted);

      const values = [first, browser.cookie('SESSION'), planted.cookie('SESSION')];

      expect(new Set([...values, 'P'.repeat(43)]).size).toBe(4);
    });

    it('H5: ends the earlier one of the browser, of whichever user, and tells it', async () => {
      const [first, second] = [story.person(), story.person()];
      const browser = await enter(first);
      const before = browser.cookie('SESSION') ?? '';
      await enter(second, browser);

      const stolen = story.client();
      stolen.plant('SESSION', before);
      expect(await stolen.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
      expect((await browser.get('/session')).body['id']).toBe(second.id);
      expect(await story.events(first)).toContainEqual(
        expect.objectContaining({ kind: 'SESSION_REVOKED', reason: 'replaced' }),
      );
    });

    it('H5: ends the earlier one at a password step after which a code is due, and a half-authenticated one', async () => {
      const browser = await enter(story.person());
      const full = browser.cookie('SESSION') ?? '';
      const enrolled = await story.enrolled();
      await enter(enrolled, browser);
      const half = browser.cookie('SESSION') ?? '';
      await enter(story.person(), browser);

      const stolen = story.client();
      stolen.plant('SESSION', full);
      expect(await stolen.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
      stolen.plant('SESSION', half);
      expect(await stolen.post('/2fa/verify', { code: story.codeOf(enrolled.app) })).toBeRefused(401, 'INVALID_TOKEN');
    });

    it('H5: stays where the password was wrong', async () => {
      const browser = await enter(story.person());

      expect(await browser.post('/session', { id: 'nobody', pw: 'wrong wrong wrong' })).toBeRefused(
        401,
        'INVALID_CREDENTIALS',
      );

      expect(await browser.get('/me')).toBeAnswered(200);
    });

    it('S8: ends after 30 minutes without a request', async () => {
      const browser = await enter(story.person());
      story.clock.advance(29 * MINUTE);
      expect(await browser.get('/me')).toBeAnswered(200);
      story.clock.advance(29 * MINUTE);
      expect(await browser.get('/me')).toBeAnswered(200);

      story.clock.advance(30 * MINUTE);

      expect(await browser.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
    });

    it('S8: ends 12 hours after the login however busy it is', async () => {
      const browser = await enter(story.person());
      for (let passed = 20; passed < 12 * 60; passed += 20) {
        story.clock.advance(20 * MINUTE);
        expect(await browser.get('/me')).toBeAnswered(200);
      }

      story.clock.advance(20 * MINUTE);

      expect(await browser.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
    });

    it('enrols without tokens: the same body, and a new cookie', async () => {
      const browser = await enter(story.person());
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

  describe('that is half-authenticated', () => {
    it('has ROLE_PRE_MFA only, for three minutes', async () => {
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

    it('gets 403 on every route outside /2fa/** that is not open to strangers', async () => {
      const person = await story.enrolled();
      const browser = await enter(person);

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

    it('counts for nothing on routes that are open', async () => {
      const browser = await enter(await story.enrolled());

      expect(await browser.get('/')).toBeAnswered(200);
      expect(await browser.get('/.well-known/jwks.json')).toBeAnswered(200);
      expect(await browser.post('/token/refresh')).toBeRefused(401, 'REFRESH_INVALID');
      expect(await browser.get('/nowhere')).toBeAnswered(404);
    });

    it('is replaced by a full one, under another id, when the code is right', async () => {
      const person = await story.enrolled();
      const browser = await enter(person);
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

    it('stays where it is when the code is wrong', async () => {
      const person = await story.enrolled();
      const browser = await enter(person);

      const wrong = await browser.post('/2fa/verify', { code: story.wrongCode(person) });

      expect(wrong).toBeRefused(401, 'MFA_CODE_INVALID');
      expect(await browser.get('/me')).toBeRefused(403, 'MFA_REQUIRED');
      expect(await browser.post('/2fa/verify', { code: story.nextCode(person) })).toBeAnswered(200);
    });

    it('is no second life for an mfa_token: the two do not open each other', async () => {
      const person = await story.enrolled();
      const browser = await enter(person);
      const half = browser.cookie('SESSION') ?? '';

      const answer = await browser.post('/login/2fa', { mfa_token: half, code: story.nextCode(person) });

      expect(answer).toBeRefused(401, 'MFA_TOKEN_INVALID');
    });

    it('enrols where policy demands it, and becomes a full one', async () => {
      const browser = story.client();
      const begun = await browser.post('/session', { id: 'portal-boss', pw: PASSWORD });
      expect(begun.body).toEqual({
        mfa_required: true,
        authorities: ['ROLE_PRE_MFA'],
        expires_in: 180,
        enrolment_required: true,
        methods: [],
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

  describe('ends', () => {
    it('by DELETE /session, which is open to anyone', async () => {
      const browser = await enter(story.person());
      const copy = browser.copy();

      const answer = await browser.delete('/session');

      expect(answer).toBeAnswered(204);
      expect(browser.cookie('SESSION')).toBeUndefined();
      expect(await copy.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
      expect(await story.client().delete('/session')).toBeAnswered(204);
      expect(await copy.delete('/session')).toBeAnswered(204);
    });

    it('by logout', async () => {
      const browser = await enter(story.person());
      const copy = browser.copy();

      expect(await browser.post('/logout')).toBeAnswered(204);

      expect(browser.cookie('SESSION')).toBeUndefined();
      expect(await copy.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
    });

    it('by a password change elsewhere', async () => {
      const person = story.person();
      const browser = await enter(person);
      const { client, accessToken: bearer } = await story.signInByPassword(person);
      const change = { current: PASSWORD, new: 'eight loud lanterns & 2 harbours' };

      expect(await client.post('/me/password', change, { bearer })).toBeAnswered(204);

      expect(await browser.get('/me')).toBeRefused(401, 'INVALID_TOKEN');
    });
  });

  it('loses against Authorization, and is no fall-back for a bad one', async () => {
    const [person, other] = [story.person(), story.person()];
    const browser = await enter(person);
    const { accessToken } = await story.signInByPassword(other);

    const byToken = await browser.get('/me', { bearer: accessToken });
    const byBadToken = await browser.get('/me', { bearer: `${accessToken}x` });
    const byOtherScheme = await browser.get('/me', { headers: { authorization: 'Basic eDp5' } });

    expect(byToken.body['id']).toBe(other.id);
    expect(byBadToken).toBeRefused(401, 'INVALID_TOKEN');
    expect(byOtherScheme).toBeRefused(401, 'INVALID_TOKEN');
  });

  it('is stored as a hash only', async () => {
    const browser = await enter(story.person());

    const rows = JSON.stringify(await story.database.query('SELECT * FROM session'));

    expect(rows).not.toContain(browser.cookie('SESSION'));
  });
});
