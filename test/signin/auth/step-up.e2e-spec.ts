import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { setCookie, textOf } from '../../support/http/http-client.js';
import { refresh, storyOn } from '../../support/login/login-story.js';
import { onAnyEngine } from '../../support/database/story-database.js';

onAnyEngine('routes that require otp', (engine) => {
  const story = storyOn(engine);

  it('a user signed in with two factors may use a route that requires otp', async () => {
    const person = await story.enrolled();
    const { client, accessToken: bearer } = await story.signIn(person);

    expect(await client.get('/me/settlement', { bearer })).toBeAnswered(200);
  });

  it('a user signed in with one factor gets the step-up challenge of RFC 9470', async () => {
    const { client, accessToken: bearer } = await story.signInByPassword(story.person());

    const answer = await client.get('/me/settlement', { bearer });

    expect(answer).toBeRefused(401, 'STEP_UP_REQUIRED');
    const challenge = answer.headers.get('www-authenticate') ?? '';
    expect(challenge).toMatch(/^Bearer /);
    expect(challenge).toContain('error="insufficient_user_authentication"');
    expect(challenge).toContain('acr_values="urn:login:acr:mfa"');
  });

  it('a route that requires otp rejects missing tokens and mfa_tokens with INVALID_TOKEN', async () => {
    const person = await story.enrolled();

    expect(await story.client().get('/me/settlement')).toBeRefused(401, 'INVALID_TOKEN');
    const half = await story.mfaToken(person);
    expect(await story.client().get('/me/settlement', { bearer: half })).toBeRefused(401, 'INVALID_TOKEN');
  });

  describe('step-up with POST /2fa/verify', () => {
    it('a step-up renews amr and mfa_at of the same session', async () => {
      const person = story.person();
      const weak = await story.signInByPassword(person);
      const enrolled = await story.enrolled(person);
      const code = story.nextCode(enrolled);

      const answer = await weak.client.post('/2fa/verify', { code }, { bearer: weak.accessToken });

      expect(answer).toBeAnswered(200);
      expect(answer.body).toEqual({
        access_token: expect.any(String) as string,
        amr: ['pwd', 'otp'],
        token_type: 'Bearer',
        expires_in: 600,
        mfa_method: 'totp',
      });
      expect(setCookie(answer, 'refresh_token')?.attributes).toMatchObject({ httponly: true, path: '/token' });
      const [before, after] = [decodeJwt(weak.accessToken), decodeJwt(textOf(answer, 'access_token'))];
      expect(after).toMatchObject({
        sid: before['sid'],
        sub: before.sub,
        auth_time: before['auth_time'],
        acr: 'urn:login:acr:mfa',
        amr: ['pwd', 'otp'],
        mfa_at: story.clock.seconds,
      });
      const settled = await weak.client.get('/me/settlement', { bearer: textOf(answer, 'access_token') });
      expect(settled).toBeAnswered(200);
      expect((await refresh(weak.client)).body['amr']).toEqual(['pwd', 'otp']);
    });

    it('a step-up invalidates earlier refresh tokens of the session without reporting reuse', async () => {
      const person = await story.enrolled();
      const { client, accessToken: bearer } = await story.signIn(person);
      const before = client.copy();
      const raised = await client.post('/2fa/verify', { code: story.nextCode(person) }, { bearer });
      expect(raised).toBeAnswered(200);

      expect(await refresh(before)).toBeRefused(401, 'REFRESH_INVALID');

      expect(await refresh(client)).toBeAnswered(200);
      expect(await story.countOf(person, 'TOKEN_REUSE')).toBe(0);
    });

    it('an old second factor requires another step-up, and a refresh does not renew it', async () => {
      const person = await story.enrolled();
      const { client, accessToken } = await story.signIn(person);
      const at = decodeJwt(accessToken)['mfa_at'];
      story.clock.advance(301);
      const renewed = textOf(await refresh(client), 'access_token');

      const answer = await client.post('/2fa/backup-codes', {}, { bearer: renewed });

      expect(decodeJwt(renewed)['mfa_at']).toBe(at);
      expect(answer).toBeRefused(401, 'STEP_UP_REQUIRED');
      expect(answer.headers.get('www-authenticate')).toContain('max_age="300"');
      const raised = await client.post('/2fa/verify', { code: story.nextCode(person) }, { bearer: renewed });
      const bearer = textOf(raised, 'access_token');
      expect(await client.post('/2fa/backup-codes', {}, { bearer })).toBeAnswered(201);
    });

    it('a step-up rejects a used code and counts failures', async () => {
      const person = await story.enrolled();
      const { client, accessToken: bearer } = await story.signIn(person);

      const used = await client.post('/2fa/verify', { code: story.codeOf(person.app) }, { bearer });
      const wrong = await client.post('/2fa/verify', { code: story.wrongCode(person) }, { bearer });

      expect(used).toBeRefused(401, 'MFA_CODE_INVALID');
      expect(wrong).toBeRefused(401, 'MFA_CODE_INVALID');
      const [{ failures } = { failures: 0 }] = await story.database.query<{ failures: number }>(
        'SELECT failures FROM account WHERE login_id = ?',
        [person.id],
      );
      expect(failures).toBe(2);
    });

    it('a step-up without an active secret returns 409 for every attempt', async () => {
      const { client, accessToken: bearer } = await story.signInByPassword(story.person());

      for (let tries = 0; tries < 6; tries += 1) {
        const answer = await client.post('/2fa/verify', { code: '123456' }, { bearer });
        expect(answer).toBeRefused(409, 'MFA_STATE_CONFLICT');
      }
    });

    it('a step-up of an ended session is rejected', async () => {
      const person = await story.enrolled();
      const { client, accessToken: bearer } = await story.signIn(person);
      await client.post('/logout', {}, { bearer });

      const answer = await client.post('/2fa/verify', { code: story.nextCode(person) }, { bearer });

      expect(answer).toBeRefused(401, 'INVALID_TOKEN');
    });
  });
});
