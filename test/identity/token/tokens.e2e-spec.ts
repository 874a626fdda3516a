import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import {
  type Answer,
  basic,
  type HttpClient,
  type SetCookie,
  setCookie,
  textOf,
} from '../../support/http/http-client.js';
import { refresh, secondStep, storyOn } from '../../support/login/login-story.js';
import { onEachEngine } from '../../support/database/story-database.js';

const DAY = 24 * 3600;
const GRACE = 10;
const CLIENT_SECRET = 'a-resource-server-knows-this-9f2c';

function refreshCookie(answer: Answer): SetCookie | undefined {
  return setCookie(answer, 'refresh_token');
}

/** Secrets that differ from their decoded forms. */
const ODD_SECRETS = {
  plus: 'a+secret+of+at+least+twenty-eight',
  percent: 'a%41secret%2Bof-at-least-twenty-eight',
  broken: '100%-a-secret+of-at-least-twenty-eight',
};

onEachEngine('access tokens and refresh tokens', (engine) => {
  const story = storyOn(engine, {
    people: 70,
    others: { 'with-roles': 'ROLE_AUDITOR' },
    args: [
      `--app.security.clients.shop.secret=${CLIENT_SECRET}`,
      ...Object.entries(ODD_SECRETS).map(([id, secret]) => `--app.security.clients.${id}.secret=${secret}`),
    ],
  });

  function introspect(
    token: string,
    headers: Readonly<Record<string, string>> = basic('shop', CLIENT_SECRET),
  ): Promise<Answer> {
    return story.client().send('POST', '/token/introspect', { form: { token }, headers });
  }

  async function isActive(token: string): Promise<unknown> {
    return (await introspect(token)).body['active'];
  }

  describe('access tokens', () => {
    it('an access token of a password sign-in has exactly the specified claims', async () => {
      const person = { id: 'with-roles', password: story.person().password };

      const { accessToken } = await story.signInByPassword(person);

      const now = story.clock.seconds;
      expect(decodeProtectedHeader(accessToken)).toEqual({
        alg: 'ES256',
        typ: 'at+jwt',
        kid: expect.any(String) as string,
      });
      expect(decodeJwt(accessToken)).toEqual({
        iss: expect.stringMatching(/^http:\/\/localhost/) as string,
        sub: await story.subjectOf(person),
        aud: 'resource-api',
        client_id: 'portal',
        iat: now,
        nbf: now,
        exp: now + 600,
        jti: expect.any(String) as string,
        sid: expect.any(String) as string,
        roles: ['ROLE_AUDITOR'],
        amr: ['pwd'],
        acr: 'urn:login:acr:pwd',
        auth_time: now,
      });
    });

    it('an access token of two factors states when and how the second was verified', async () => {
      const person = await story.enrolled();

      const { accessToken } = await story.signIn(person);

      const now = story.clock.seconds;
      expect(decodeJwt(accessToken)).toEqual({
        iss: expect.any(String) as string,
        sub: await story.subjectOf(person),
        aud: 'resource-api',
        client_id: 'portal',
        iat: now,
        nbf: now,
        exp: now + 600,
        jti: expect.any(String) as string,
        sid: expect.any(String) as string,
        roles: [],
        amr: ['pwd', 'otp'],
        acr: 'urn:login:acr:mfa',
        auth_time: now,
        mfa_at: now,
        mfa_method: 'totp',
      });
    });

    it('A10: an access token and its introspection name the client (RFC 9068, section 2.2)', async () => {
      const { accessToken } = await story.signInByPassword(story.person());

      expect(decodeJwt(accessToken)['client_id']).toBe('portal');
      expect((await introspect(accessToken)).body['client_id']).toBe('portal');
    });

    it('an access token verifies against the published keys', async () => {
      const { accessToken } = await story.signInByPassword(story.person());
      const metadata = await story.client().get('/.well-known/oauth-authorization-server');
      const keys = createRemoteJWKSet(new URL(`${story.service.url}/.well-known/jwks.json`));

      const verified = await jwtVerify(accessToken, keys, {
        audience: 'resource-api',
        issuer: textOf(metadata, 'issuer'),
        typ: 'at+jwt',
        currentDate: new Date(story.clock.millis),
      });

      expect(verified.payload['amr']).toEqual(['pwd']);
    });

    it('an access token expires after ten minutes', async () => {
      const { client, accessToken: bearer } = await story.signInByPassword(story.person());
      story.clock.advance(599);
      expect(await client.get('/me', { bearer })).toBeAnswered(200);

      story.clock.advance(1);

      const answer = await client.get('/me', { bearer });
      expect(answer).toBeRefused(401, 'INVALID_TOKEN');
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
    });
  });

  describe('published keys', () => {
    it('J7: the published keys have only public members and may be cached for five minutes', async () => {
      const answer = await story.client().get('/.well-known/jwks.json');

      expect(answer).toBeAnswered(200);
      expect(answer.headers.get('cache-control')).toContain('max-age=300');
      expect(answer.headers.get('cache-control')).not.toContain('no-store');
      const keys = answer.body['keys'] as readonly Record<string, unknown>[];
      expect(keys.length).toBeGreaterThan(0);
      for (const key of keys) {
        expect(key).toMatchObject({ kid: expect.any(String) as string, alg: 'ES256', use: 'sig', kty: 'EC' });
        expect(Object.keys(key).filter((member) => /^(?:d|p|q|dp|dq|qi|k|oth)$/.test(member))).toEqual([]);
      }
      expect(new Set(keys.map(({ kid }) => kid)).size).toBe(keys.length);
    });

    it('the metadata has the members that RFC 8414 section 2 requires, the published keys and the introspection endpoint', async () => {
      const answer = await story.client().get('/.well-known/oauth-authorization-server');

      expect(answer).toBeAnswered(200);
      const issuer = textOf(answer, 'issuer');
      expect(answer.body).toEqual({
        issuer,
        jwks_uri: `${issuer}/.well-known/jwks.json`,
        introspection_endpoint: `${issuer}/token/introspect`,
        introspection_endpoint_auth_methods_supported: ['client_secret_basic'],
        response_types_supported: [],
        grant_types_supported: [],
        acr_values_supported: ['urn:login:acr:pwd', 'urn:login:acr:mfa'],
      });
      const { accessToken } = await story.signInByPassword(story.person());
      expect(decodeJwt(accessToken).iss).toBe(issuer);
    });
  });

  describe('POST /token/refresh', () => {
    it('a refresh issues a new access token and a new cookie and keeps all other claims', async () => {
      const person = await story.enrolled();
      const { client, accessToken } = await story.signIn(person);
      const before = client.cookie('refresh_token');
      story.clock.advance(60);

      const answer = await refresh(client);

      expect(answer).toBeAnswered(200);
      expect(answer.body).toEqual({
        access_token: expect.any(String) as string,
        token_type: 'Bearer',
        expires_in: 600,
        amr: ['pwd', 'otp'],
      });
      expect(answer.headers.get('cache-control')).toBe('no-store');
      const cookie = refreshCookie(answer);
      expect(cookie?.value).toMatch(/^[\w-]{43}$/);
      expect(cookie?.value).not.toBe(before);
      expect(cookie?.attributes).toEqual({
        httponly: true,
        secure: true,
        samesite: 'Strict',
        path: '/token',
        'max-age': String(14 * DAY),
      });
      const [old, renewed] = [decodeJwt(accessToken), decodeJwt(textOf(answer, 'access_token'))];
      expect(renewed).toEqual({
        ...old,
        iat: story.clock.seconds,
        nbf: story.clock.seconds,
        exp: story.clock.seconds + 600,
        jti: expect.any(String) as string,
      });
      expect(renewed.jti).not.toBe(old.jti);
    });

    it('J8: the refresh of a password session keeps amr pwd after 2FA is enabled', async () => {
      const person = story.person();
      const { client } = await story.signInByPassword(person);
      await story.enrolled(person);

      const answer = await refresh(client);

      expect(answer.body['amr']).toEqual(['pwd']);
      expect(decodeJwt(textOf(answer, 'access_token'))).toMatchObject({ amr: ['pwd'], acr: 'urn:login:acr:pwd' });
    });

    it('S1: an old refresh token after the grace period ends the session, including its successor', async () => {
      const person = story.person();
      const { client, accessToken } = await story.signInByPassword(person);
      const thief = client.copy();
      await refresh(client);
      story.clock.advance(GRACE + 1);

      const replay = await refresh(thief);

      expect(replay).toBeRefused(401, 'REFRESH_INVALID');
      expect(await refresh(client)).toBeRefused(401, 'REFRESH_INVALID');
      expect(await client.get('/me', { bearer: accessToken })).toBeRefused(401, 'INVALID_TOKEN');
      expect(await story.countOf(person, 'TOKEN_REUSE')).toBe(1);
    });

    it('S2: an old refresh token within the grace period returns the same successor', async () => {
      const { client } = await story.signInByPassword(story.person());
      const otherTab = client.copy();
      await refresh(client);
      story.clock.advance(GRACE - 1);

      const again = await refresh(otherTab);

      expect(again).toBeAnswered(200);
      expect(refreshCookie(again)?.value).toBe(client.cookie('refresh_token'));
      expect(await refresh(client)).toBeAnswered(200);
    });

    it('S1: an old refresh token whose successor was used ends the session even within the grace period', async () => {
      const person = story.person();
      const { client } = await story.signInByPassword(person);
      const old = client.copy();
      await refresh(client);
      await refresh(client);

      expect(await refresh(old)).toBeRefused(401, 'REFRESH_INVALID');

      expect(await refresh(client)).toBeRefused(401, 'REFRESH_INVALID');
      expect(await story.countOf(person, 'TOKEN_REUSE')).toBe(1);
    });

    it('a rejected refresh does not affect the refresh token of another browser', async () => {
      const { client } = await story.signInByPassword(story.person());
      const stranger = client.copy();
      stranger.plant('refresh_token', 'B'.repeat(43), '/token');

      const answer = await refresh(stranger);

      expect(answer).toBeRefused(401, 'REFRESH_INVALID');
      expect(await refresh(client)).toBeAnswered(200);
    });

    it.each([
      ['without a cookie', undefined],
      ['with an empty cookie', ''],
      ['with a word as the cookie', 'undefined'],
      ['with a cookie of 10 KB', 'x'.repeat(10_000)],
      ['with quotes in the cookie', "' OR 1=1 --"],
    ])('a refresh is rejected %s', async (_, value) => {
      const client = story.client();
      if (value !== undefined) client.plant('refresh_token', encodeURIComponent(value), '/token');

      expect(await refresh(client)).toBeRefused(401, 'REFRESH_INVALID');
    });

    it('a refresh reads the current roles of the user', async () => {
      const person = story.person();
      const { client } = await story.signInByPassword(person);
      await story.database.query("UPDATE account SET roles = 'ROLE_AUDITOR' WHERE login_id = ?", [person.id]);

      const answer = await refresh(client);

      expect(decodeJwt(textOf(answer, 'access_token'))['roles']).toEqual(['ROLE_AUDITOR']);
    });

    it('S8: a refresh token expires 14 days after the last refresh', async () => {
      const [early, late] = [
        await story.signInByPassword(story.person()),
        await story.signInByPassword(story.person()),
      ];
      story.clock.advance(14 * DAY - 1);
      expect(await refresh(early.client)).toBeAnswered(200);

      story.clock.advance(1);

      expect(await refresh(late.client)).toBeRefused(401, 'REFRESH_INVALID');
      expect(await refresh(early.client)).toBeAnswered(200);
    });

    it('S8: a session can be refreshed for at most 90 days, and its cookie does not outlive them', async () => {
      const { client } = await story.signInByPassword(story.person());
      for (let weeks = 1; weeks <= 12; weeks += 1) {
        story.clock.advance(7 * DAY);
        expect(await refresh(client)).toBeAnswered(200);
      }
      story.clock.advance(5 * DAY);
      const last = await refresh(client);
      expect(refreshCookie(last)?.attributes['max-age']).toBe(String(DAY));

      story.clock.advance(DAY);

      expect(await refresh(client)).toBeRefused(401, 'REFRESH_INVALID');
    });

    it('S3: the database does not contain a refresh token', async () => {
      const { client } = await story.signInByPassword(story.person());
      await refresh(client);
      const value = client.cookie('refresh_token') ?? '';

      const rows = JSON.stringify([
        await story.database.query('SELECT * FROM refresh_token'),
        await story.database.query('SELECT * FROM session'),
      ]);

      expect(Buffer.from(value, 'base64url')).toHaveLength(32);
      expect(rows).not.toContain(value);
    });
  });

  describe('S6: the end of a session', () => {
    it.each<readonly [string, (client: HttpClient, bearer: string) => Promise<Answer>]>([
      ['POST /logout', (client, bearer) => client.post('/logout', {}, { bearer })],
      ['POST /token/revoke', (client) => client.post('/token/revoke')],
    ])('%s ends the session at once and removes the refresh cookie', async (_, end) => {
      const person = await story.enrolled();
      const { client, accessToken: bearer } = await story.signIn(person);
      const copy = client.copy();

      const answer = await end(client, bearer);

      expect(answer).toBeAnswered(204);
      expect(answer.text).toBe('');
      expect(client.cookie('refresh_token')).toBeUndefined();
      expect(refreshCookie(answer)?.attributes).toMatchObject({ path: '/token' });
      expect(await refresh(copy)).toBeRefused(401, 'REFRESH_INVALID');
      expect(await copy.get('/me', { bearer })).toBeRefused(401, 'INVALID_TOKEN');
      expect(await isActive(bearer)).toBe(false);
    });

    it('POST /token/revoke returns 204 without a valid refresh token', async () => {
      const without = await story.client().post('/token/revoke');
      const stranger = story.client();
      stranger.plant('refresh_token', 'C'.repeat(43), '/token');

      expect(without).toBeAnswered(204);
      expect(await stranger.post('/token/revoke')).toBeAnswered(204);
    });

    it('POST /logout does not affect other sessions of the user', async () => {
      const person = story.person();
      const other = await story.signInByPassword(person);
      const { client, accessToken: bearer } = await story.signInByPassword(person);

      await client.post('/logout', {}, { bearer });

      expect(await other.client.get('/me', { bearer: other.accessToken })).toBeAnswered(200);
      expect(await refresh(other.client)).toBeAnswered(200);
    });

    it('disabling a user ends sessions and mfa_tokens, and enabling the user does not restore them', async () => {
      const person = await story.enrolled();
      const { client, accessToken: bearer } = await story.signIn(person);
      const [portal, waiting] = [story.client(), story.client()];
      for (const browser of [portal, waiting]) {
        expect(await browser.post('/session', { id: person.id, pw: person.password })).toBeAnswered(200);
      }
      expect(await portal.post('/2fa/verify', { code: story.nextCode(person) })).toBeAnswered(200);
      const half = await story.mfaToken(person);
      expect(await client.get('/me', { bearer })).toBeAnswered(200);
      expect(await portal.get('/me')).toBeAnswered(200);
      expect(await waiting.get('/me')).toBeRefused(403, 'MFA_REQUIRED');

      for (const command of ['disable', 'enable']) {
        expect((await story.command('users', command, person.id)).exitCode, command).toBe(0);

        expect(await refresh(client.copy()), command).toBeRefused(401, 'REFRESH_INVALID');
        expect(await client.get('/me', { bearer }), command).toBeRefused(401, 'INVALID_TOKEN');
        expect(await isActive(bearer), command).toBe(false);
        expect(await portal.copy().get('/me'), command).toBeRefused(401, 'INVALID_TOKEN');
        const code = story.nextCode(person);
        expect(await waiting.copy().post('/2fa/verify', { code }), command).toBeRefused(401, 'INVALID_TOKEN');
        const byHalf = await story.client().post('/2fa/verify', { code }, { bearer: half });
        expect(byHalf, command).toBeRefused(401, 'MFA_TOKEN_INVALID');
        expect(await secondStep(story.client(), half, code), command).toBeRefused(401, 'MFA_TOKEN_INVALID');
      }
    });

    it('POST /logout requires authentication', async () => {
      expect(await story.client().post('/logout')).toBeRefused(401, 'INVALID_TOKEN');
    });
  });

  describe('POST /token/introspect', () => {
    it('introspection returns the claims of a valid access token', async () => {
      const person = await story.enrolled();
      const { accessToken } = await story.signIn(person);

      const answer = await introspect(accessToken);

      const { iss, sub, aud, iat, exp, jti, sid, roles, amr, acr, auth_time, mfa_at } = decodeJwt(accessToken);
      expect(answer).toBeAnswered(200);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.body).toMatchObject({
        active: true,
        ...{ iss, sub, aud, iat, exp, jti, sid, roles, amr, acr, auth_time, mfa_at },
      });
    });

    it('introspection returns only active: false for any other token', async () => {
      const person = await story.enrolled();
      const half = await story.mfaToken(person);
      const { client, accessToken } = await story.signIn(person);
      story.clock.advance(601);

      for (const token of [half, client.cookie('refresh_token') ?? '', accessToken, 'x', '', 'a.b.c']) {
        const answer = await introspect(token);
        expect(answer).toBeAnswered(200);
        expect(answer.body).toEqual({ active: false });
      }
    });

    it.each(Object.entries(ODD_SECRETS))(
      'A3: a client (%s) is known by its secret as it is, and form-encoded (RFC 6749 section 2.3.1)',
      async (id, secret) => {
        const { accessToken } = await story.signInByPassword(story.person());
        const encoded = encodeURIComponent(secret).replaceAll('%20', '+');

        for (const sent of [secret, encoded]) {
          expect((await introspect(accessToken, basic(id, sent))).body).toMatchObject({ active: true });
        }
        for (const sent of [secret.replaceAll('+', ' '), `${secret}x`, encodeURIComponent(encoded)]) {
          if (sent === secret) continue;
          expect(await introspect(accessToken, basic(id, sent)), sent).toBeRefused(401, 'INVALID_CREDENTIALS');
        }
      },
    );

    it.each([
      ['missing credentials', {}],
      ['a wrong secret', basic('shop', 'wrong')],
      ['an unknown client', basic('store', CLIENT_SECRET)],
      ['an empty secret', basic('shop', '')],
      ['a client named like a property of the prototype', basic('constructor', '')],
      ['Basic without credentials', { authorization: 'Basic' }],
      ['Basic with invalid Base64', { authorization: 'Basic %%%' }],
    ])('introspection rejects %s', async (_, headers) => {
      const { accessToken } = await story.signInByPassword(story.person());

      expect(await introspect(accessToken, headers)).toBeRefused(401, 'INVALID_CREDENTIALS');
    });

    it('introspection requires one token in a form and ignores unknown members', async () => {
      const headers = basic('shop', CLIENT_SECRET);

      const more = await story.client().send('POST', '/token/introspect', { form: { token: 'x', more: '1' }, headers });
      const none = await story.client().send('POST', '/token/introspect', { form: { other: 'x' }, headers });
      const json = await story.client().send('POST', '/token/introspect', { json: { token: 'x' }, headers });
      const twice = await story.client().send('POST', '/token/introspect', {
        raw: 'token=a&token=b',
        headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      });

      expect(more).toBeAnswered(200);
      expect(none).toBeRefused(400, 'VALIDATION_FAILED');
      expect(twice).toBeRefused(400, 'VALIDATION_FAILED');
      expect(json).toBeRefused(415, 'UNSUPPORTED_MEDIA_TYPE');
    });
  });

  describe('J7: key rotation', () => {
    it('new access tokens are signed with another key while old ones stay valid', async () => {
      const { client, accessToken: old } = await story.signInByPassword(story.person());
      const { exitCode } = await story.command('keys', 'rotate');
      expect(exitCode).toBe(0);
      // The next key is published for a day before it signs; processes reload keys periodically.
      await story.service.kill();
      await story.restart();
      const browser = story.client();

      expect(await browser.get('/me', { bearer: old })).toBeAnswered(200);
      story.clock.advance(2 * DAY);
      const { accessToken: renewed } = await story.signInByPassword(story.person());
      expect(decodeProtectedHeader(renewed).kid).not.toBe(decodeProtectedHeader(old).kid);
      expect(await browser.get('/me', { bearer: renewed })).toBeAnswered(200);
      expect(client.cookie('refresh_token')).toBeDefined();
    });
  });
});
