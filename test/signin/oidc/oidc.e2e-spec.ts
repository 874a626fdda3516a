import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createRemoteJWKSet, decodeJwt, type JWTPayload, jwtVerify, SignJWT, UnsecuredJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { type Answer, type HttpClient, textOf } from '../../support/http/http-client.js';
import { type Enrolled, type Person, storyOn } from '../../support/login/login-story.js';
import { submit, visit } from '../../support/pages/pages.js';
import { onAnyEngine } from '../../support/database/story-database.js';
import { HTML, RelyingParty } from '../../support/oidc/relying-party.js';

const API_USER = {
  id: 'api-user',
  secret: 'a-secret-of-the-api-user-0123456',
  redirectUri: 'https://api-user.example/cb',
};
const ISSUER = 'http://localhost:8080';
const SHOP = { id: 'shop', secret: 'a-secret-of-the-shop-0123456789', redirectUri: 'https://shop.example/cb' };
const PAGE = { id: 'page', redirectUri: 'https://page.example/cb' };
const BANK = { id: 'bank', secret: 'a-secret-of-the-bank-0123456789', redirectUri: 'https://bank.example/cb' };
const STAFF_ONLY = { id: 'hr', secret: 'a-secret-of-the-hr-app-0123456789', redirectUri: 'https://hr.example/cb' };

const SIGNED = { id: 'signed', secret: 'a-secret-of-the-signed-app-012345', redirectUri: 'https://signed.example/cb' };

const CLIENT_KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const ARGS = [SHOP, BANK, STAFF_ONLY, API_USER, SIGNED].flatMap(({ id, secret, redirectUri }) => [
  `--app.security.clients.${id}.secret=${secret}`,
  `--app.security.clients.${id}.redirect-uris=${redirectUri}`,
]);

onAnyEngine('OpenID Connect', (engine) => {
  const story = storyOn(engine, {
    args: [
      ...ARGS,
      '--app.security.clients.shop.name=The Shop',
      '--app.security.clients.shop.scopes=openid,profile,email,groups,offline_access',
      '--app.security.clients.api-user.audience=resource-api',
      '--app.security.clients.api-user.scopes=openid',
      `--app.security.clients.${PAGE.id}.public=true`,
      `--app.security.clients.${PAGE.id}.redirect-uris=${PAGE.redirectUri}`,
      `--app.security.clients.${SIGNED.id}.signed-userinfo=true`,
      `--app.security.clients.${SIGNED.id}.id-token-algorithm=ES256`,
      `--app.security.clients.${BANK.id}.min-acr=urn:login:acr:mfa`,
      `--app.security.clients.${STAFF_ONLY.id}.roles=ROLE_HR`,
      `--app.security.clients.keyed.keys=${String(CLIENT_KEY.publicKey.export({ format: 'pem', type: 'spki' }))}`,
      '--app.security.clients.keyed.grant-types=client_credentials',
      '--app.security.clients.keyed.audience=keyed-api',
      `--app.security.public-url=${ISSUER}`,
    ],
    people: 60,
  });
  const partyOf = (client: RelyingParty['client']): RelyingParty => new RelyingParty(client, story.service.url);
  const browserOf = async (person: Person): Promise<HttpClient> => {
    const browser = story.client();
    const answer = await browser.post('/session', { id: person.id, pw: person.password });
    if (answer.status !== 200) throw new Error(answer.text);
    return browser;
  };
  const signedIn = (): Promise<HttpClient> => browserOf(story.person());
  const twoFactors = async (person: Enrolled): Promise<HttpClient> => {
    const browser = await browserOf(person);
    await browser.post('/2fa/verify', { code: story.nextCode(person) });
    return browser;
  };
  const userinfo = (accessToken: string): Promise<Answer> => story.client().get('/userinfo', { bearer: accessToken });
  const pagePathOf = (answer: Answer): string => answer.headers.get('location') ?? '';

  describe('a sign-in', () => {
    it('ends at the application with a code, which it exchanges for tokens of the user', async () => {
      const person = story.person();
      const shop = partyOf(SHOP);
      const attempt = shop.attempt();

      const response = await shop.authorize(await browserOf(person), attempt, { scope: 'openid profile' });
      expect(Object.fromEntries(response)).toMatchObject({ state: attempt.state });
      const tokens = await shop.redeem(response.get('code') ?? '', attempt);

      expect(tokens).toBeAnswered(200);
      expect(tokens.headers.get('cache-control')).toBe('no-store');
      expect(tokens.body).toMatchObject({ token_type: 'Bearer', expires_in: 600, scope: 'openid profile' });
      const keys = createRemoteJWKSet(new URL(`${story.service.url}/.well-known/jwks.json`));
      const { payload, protectedHeader } = await jwtVerify(textOf(tokens, 'id_token'), keys, {
        audience: SHOP.id,
        currentDate: new Date(story.clock.millis),
      });
      expect(protectedHeader).toMatchObject({ alg: 'RS256', typ: 'JWT' });
      expect(payload).toMatchObject({
        ...{ sub: await story.subjectOf(person), nonce: attempt.nonce, amr: ['pwd'], acr: 'urn:login:acr:pwd' },
        ...{ iss: response.get('iss'), auth_time: expect.any(Number) as number },
      });
      const access = decodeJwt(textOf(tokens, 'access_token'));
      expect(access).toMatchObject({ aud: 'shop', client_id: 'shop', scope: 'openid profile', sid: payload['sid'] });
      const claims = await userinfo(textOf(tokens, 'access_token'));
      expect(claims.body).toMatchObject({ sub: payload.sub, preferred_username: person.id });
    });

    it('leads a visitor without a session through the sign-in page, and on to the application', async () => {
      const person = story.person();
      const browser = story.client();
      const shop = partyOf(SHOP);
      const attempt = shop.attempt();

      const asked = await browser.get(shop.authorizePath(attempt), HTML);
      const page = await visit(browser, pagePathOf(asked));
      const sent = await submit(browser, page, { id: person.id, pw: person.password });
      const response = shop.response(await browser.get(pagePathOf(sent), HTML));

      expect(page.text).toContain('Sign in to continue to The Shop.');
      expect(page.headers.get('content-security-policy')).toContain('https://shop.example');
      expect(await shop.redeem(response?.get('code') ?? '', attempt)).toBeAnswered(200);
    });

    it('of the user of an ID token shows the sign-in page again if its request is reloaded', async () => {
      const shop = partyOf(SHOP);
      const hint = textOf(await shop.signIn(await signedIn()), 'id_token');
      const browser = story.client();

      const asked = await browser.get(shop.authorizePath(shop.attempt(), { id_token_hint: hint }), HTML);
      const stored = new URL(pagePathOf(asked), ISSUER).searchParams.get('return_to') ?? '';
      const reloaded = await browser.get(stored, HTML);

      expect(pagePathOf(asked)).toMatch(/^\/portal\/login\?/);
      expect(pagePathOf(reloaded)).toBe(pagePathOf(asked));
    });

    it('of another user than that of an ID token ends with login_required', async () => {
      const shop = partyOf(SHOP);
      const hint = textOf(await shop.signIn(await signedIn()), 'id_token');
      const other = story.person();
      const browser = story.client();

      const asked = await browser.get(shop.authorizePath(shop.attempt(), { id_token_hint: hint }), HTML);
      const sent = await submit(browser, await visit(browser, pagePathOf(asked)), { id: other.id, pw: other.password });
      const response = shop.response(await browser.get(pagePathOf(sent), HTML));

      expect(response?.get('error')).toBe('login_required');
    });

    it('begins with the username and the language that the application names', async () => {
      const browser = story.client();
      const shop = partyOf(SHOP);
      const hints = { login_hint: 'anna"><b>', ui_locales: 'fr ko-KR en' };

      const asked = await browser.get(shop.authorizePath(shop.attempt(), hints), HTML);
      const page = await visit(browser, pagePathOf(asked));

      expect(page.text).toContain('value="anna&quot;&gt;&lt;b&gt;"');
      expect(page.text).toContain('<html lang="ko">');
    });

    it('by POST goes on like the same request by GET', async () => {
      const shop = partyOf(SHOP);
      const attempt = shop.attempt();
      const browser = await signedIn();
      const form = Object.fromEntries(new URLSearchParams(shop.authorizePath(attempt).split('?')[1]));

      const stored = await story.client().send('POST', '/authorize', { form, ...HTML });
      const response = shop.response(await browser.get(pagePathOf(stored), HTML));

      expect(await shop.redeem(response?.get('code') ?? '', attempt)).toBeAnswered(200);
    });

    it('with form_post returns a page whose form carries the response', async () => {
      const shop = partyOf(SHOP);
      const attempt = shop.attempt();

      const page = await (await signedIn()).get(shop.authorizePath(attempt, { response_mode: 'form_post' }), HTML);

      expect(page).toBeAnswered(200);
      expect(page.text).toContain(`action="${SHOP.redirectUri}"`);
      expect(page.text).toContain(`value="${attempt.state}"`);
    });

    it('without interaction ends with login_required if nobody is signed in', async () => {
      const shop = partyOf(SHOP);

      const response = await shop.authorize(story.client(), shop.attempt(), { prompt: 'none' });

      expect(response.get('error')).toBe('login_required');
      expect(response.get('code')).toBeNull();
    });

    it('with prompt=login asks again, and the sign-ins to other applications go on', async () => {
      const person = story.person();
      const browser = await browserOf(person);
      const other = textOf(await partyOf(PAGE).signIn(browser), 'refresh_token');
      const shop = partyOf(SHOP);
      const attempt = shop.attempt();
      story.clock.advance(5);

      const asked = await browser.get(shop.authorizePath(attempt, { prompt: 'login' }), HTML);
      const page = await visit(browser, pagePathOf(asked));
      const sent = await submit(browser, page, { id: person.id, pw: person.password });
      const response = shop.response(await browser.get(pagePathOf(sent), HTML));
      const tokens = await shop.redeem(response?.get('code') ?? '', attempt);

      expect(decodeJwt(textOf(tokens, 'id_token'))).toMatchObject({ auth_time: story.clock.seconds });
      expect(await partyOf(PAGE).refresh(other)).toBeAnswered(200);
    });

    it('of a user without a role of the application is rejected', async () => {
      const response = await partyOf(STAFF_ONLY).authorize(await signedIn(), partyOf(STAFF_ONLY).attempt());

      expect(response.get('error')).toBe('access_denied');
    });
  });

  describe('assurance', () => {
    it('an application that requires a second factor gets a code after the user has proved it', async () => {
      const person = await story.enrolled();
      const bank = partyOf(BANK);
      const attempt = bank.attempt();
      const browser = await twoFactors(person);

      const tokens = await bank.redeem((await bank.authorize(browser, attempt)).get('code') ?? '', attempt);

      expect(decodeJwt(textOf(tokens, 'id_token'))).toMatchObject({ amr: ['pwd', 'otp'], acr: 'urn:login:acr:mfa' });
    });

    it('a user without a second factor sets one up, or the application gets an error without interaction', async () => {
      const bank = partyOf(BANK);
      const browser = await signedIn();

      const asked = await browser.get(bank.authorizePath(bank.attempt()), HTML);
      const silent = await bank.authorize(browser, bank.attempt(), { prompt: 'none' });

      expect(pagePathOf(asked)).toMatch(/^\/2fa\/portal\/setup\?return_to=/);
      expect(silent.get('error')).toBe('unmet_authentication_requirements');
    });

    it('J8: a request cannot lower the assurance that is registered for the application', async () => {
      const bank = partyOf(BANK);
      const browser = await signedIn();
      const weak = JSON.stringify({ id_token: { acr: { essential: true, value: 'urn:login:acr:pwd' } } });

      const response = await bank.authorize(browser, bank.attempt(), { prompt: 'none', claims: weak });

      expect(response.get('error')).toBe('unmet_authentication_requirements');
    });

    it('acr_values that the user cannot meet are a wish, and an essential acr is not', async () => {
      const shop = partyOf(SHOP);
      const browser = await signedIn();
      const essential = JSON.stringify({ id_token: { acr: { essential: true, values: ['urn:login:acr:phr'] } } });

      const wished = await shop.authorize(browser, shop.attempt(), { acr_values: 'urn:login:acr:phr' });
      const demanded = await shop.authorize(browser, shop.attempt(), { claims: essential });

      expect(wished.get('code')).not.toBeNull();
      expect(demanded.get('error')).toBe('unmet_authentication_requirements');
    });
  });

  describe('requests', () => {
    it('get no claims that the application may not have, even by name', async () => {
      const party = partyOf(API_USER);
      const claims = JSON.stringify({
        userinfo: { roles: null, groups: null },
        id_token: { preferred_username: null },
      });

      const tokens = await party.signIn(await signedIn(), { claims });

      expect(decodeJwt(textOf(tokens, 'id_token'))).not.toHaveProperty('preferred_username');
      expect(Object.keys((await userinfo(textOf(tokens, 'access_token'))).body)).toEqual(['sub']);
    });

    it('that are too long are rejected before they are stored', async () => {
      const shop = partyOf(SHOP);
      const form = Object.fromEntries(new URLSearchParams(shop.authorizePath(shop.attempt()).split('?')[1]));
      const long = { ...form, x: 'a'.repeat(10_000) };

      expect(await story.client().send('POST', '/authorize', { form: long, ...HTML })).toBeAnswered(400);
      expect(await story.client().send('POST', '/end-session', { form: { x: long.x }, ...HTML })).toBeAnswered(400);
    });

    it('with a parameter that is sent twice get an error page', async () => {
      const shop = partyOf(SHOP);

      const answer = await (await signedIn()).get(`${shop.authorizePath(shop.attempt())}&state=other`, HTML);

      expect(answer).toBeAnswered(400);
    });

    it('that were pushed with prompt=login ask a user who has signed in since', async () => {
      const shop = partyOf(SHOP);
      const path = shop.authorizePath(shop.attempt(), { prompt: 'login' });
      const form = Object.fromEntries(new URLSearchParams(path.split('?')[1]));
      const stored = await story.client().send('POST', '/authorize', { form, ...HTML });

      const asked = await (await signedIn()).get(pagePathOf(stored), HTML);

      expect(pagePathOf(asked)).toMatch(/^\/portal\/login\?/);
    });

    it.each([
      ['an unknown client', { client_id: 'other' }],
      ['another redirect URI', { redirect_uri: 'https://shop.example/cb/' }],
      ['the redirect URI of another client', { redirect_uri: PAGE.redirectUri }],
      ['no redirect URI', { redirect_uri: undefined }],
    ])('with %s get an error page and no redirect', async (_, changes) => {
      const shop = partyOf(SHOP);

      const answer = await (await signedIn()).get(shop.authorizePath(shop.attempt(), changes), HTML);

      expect(answer).toBeAnswered(400);
      expect(answer.headers.get('location')).toBeNull();
    });

    it.each([
      [SHOP, 'invalid_request', { code_challenge_method: 'plain' }],
      [SHOP, 'invalid_scope', { scope: 'profile' }],
      [SHOP, 'unsupported_response_type', { response_type: 'token' }],
      [SHOP, 'invalid_target', { resource: 'https://other.example' }],
      [SHOP, 'request_not_supported', { request: 'eyJhbGciOiJub25lIn0.e30.' }],
      [SHOP, 'invalid_request', { prompt: 'none login' }],
      [SHOP, 'invalid_request', { max_age: '-1' }],
      [PAGE, 'invalid_request', { code_challenge: undefined, code_challenge_method: undefined }],
    ])('of %o end with %s for %o', async (client, error, changes) => {
      const party = partyOf(client);

      const response = await party.authorize(await signedIn(), party.attempt(), changes);

      expect(response.get('error')).toBe(error);
    });
  });

  describe('codes and tokens', () => {
    it('J6: a code that is used twice ends what its first use has issued', async () => {
      const shop = partyOf(SHOP);
      const attempt = shop.attempt();
      const code = (await shop.authorize(await signedIn(), attempt)).get('code') ?? '';
      const first = await shop.redeem(code, attempt);

      const second = await shop.redeem(code, attempt);

      expect(second.body).toMatchObject({ error: 'invalid_grant' });
      expect(await userinfo(textOf(first, 'access_token'))).toBeAnswered(401);
      expect((await shop.refresh(textOf(first, 'refresh_token'))).body).toMatchObject({ error: 'invalid_grant' });
    });

    it('a code is rejected for another client, redirect URI or verifier, and stays usable', async () => {
      const shop = partyOf(SHOP);
      const attempt = shop.attempt();
      const code = (await shop.authorize(await signedIn(), attempt)).get('code') ?? '';
      const wrong = [
        await partyOf(BANK).redeem(code, attempt),
        await shop.redeem(code, attempt, { redirect_uri: 'https://shop.example/other' }),
        await shop.redeem(code, shop.attempt()),
      ];

      expect(wrong.map(({ body }) => body['error'])).toEqual(['invalid_grant', 'invalid_grant', 'invalid_grant']);
      expect(await shop.redeem(code, attempt)).toBeAnswered(200);
    });

    it('a code expires after a minute', async () => {
      const shop = partyOf(SHOP);
      const attempt = shop.attempt();
      const code = (await shop.authorize(await signedIn(), attempt)).get('code') ?? '';
      story.clock.advance(60);

      expect((await shop.redeem(code, attempt)).body).toMatchObject({ error: 'invalid_grant' });
    });

    it('a wrong secret is rejected with a challenge', async () => {
      const party = partyOf({ ...SHOP, secret: 'not-the-secret-of-the-shop-000' });

      const answer = await party.redeem('x', party.attempt());

      expect(answer).toBeAnswered(401);
      expect(answer.body).toMatchObject({ error: 'invalid_client' });
      expect(answer.headers.get('www-authenticate')).toMatch(/^Basic /);
    });

    it('J5: the token of an application does not open this service, nor introspect as one of another audience', async () => {
      const bearer = textOf(await partyOf(PAGE).signIn(await signedIn()), 'access_token');

      for (const path of ['/me', '/sessions', '/2fa', '/admin/users', '/me/settlement']) {
        expect(await story.client().get(path, { bearer })).toBeRefused(401, 'INVALID_TOKEN');
      }
    });

    it('J5: an application introspects its own tokens, and no tokens of others', async () => {
      const browser = await signedIn();
      const introspect = async (token: string): Promise<unknown> => {
        const authorization = `Basic ${Buffer.from(`${SHOP.id}:${SHOP.secret}`).toString('base64')}`;
        const answer = await story.client().send('POST', '/token/introspect', {
          form: { token },
          headers: { authorization },
        });
        return answer.body['active'];
      };

      const own = await introspect(textOf(await partyOf(SHOP).signIn(browser), 'access_token'));
      const other = await introspect(textOf(await partyOf(PAGE).signIn(browser), 'access_token'));

      expect([own, other]).toEqual([true, false]);
    });

    it('J5: the token of an application opens nothing here even if tokens of resource servers do', async () => {
      // Stories accept them (`accept-resource-api`).
      const bearer = textOf(await partyOf(API_USER).signIn(await signedIn()), 'access_token');

      expect(decodeJwt(bearer).aud).toBe('resource-api');
      expect(await story.client().get('/me', { bearer })).toBeRefused(401, 'INVALID_TOKEN');
      expect(await story.client().post('/2fa/setup', {}, { bearer })).toBeRefused(401, 'INVALID_TOKEN');
    });

    it('J6: userinfo is a token for the client that expires soon, if the client asks for a signed one', async () => {
      const person = story.person();
      const tokens = await partyOf(SIGNED).signIn(await browserOf(person), { scope: 'openid profile' });

      const signed = await userinfo(textOf(tokens, 'access_token'));

      expect(signed.headers.get('content-type')).toMatch(/^application\/jwt/);
      const keys = createRemoteJWKSet(new URL(`${story.service.url}/.well-known/jwks.json`));
      const { payload, protectedHeader } = await jwtVerify(signed.text, keys, {
        ...{ issuer: ISSUER, audience: SIGNED.id, requiredClaims: ['exp', 'iat'] },
        currentDate: new Date(story.clock.millis),
      });
      expect(protectedHeader.alg).toBe('ES256');
      expect(payload).toMatchObject({ sub: await story.subjectOf(person), preferred_username: person.id });
      expect(Number(payload.exp) - Number(payload.iat)).toBe(120);
      expect(await userinfo(signed.text)).toBeAnswered(401);
    });

    it('a token with fewer scopes gets fewer claims at userinfo', async () => {
      const shop = partyOf(SHOP);
      const whole = await shop.signIn(await signedIn(), { scope: 'openid profile' });
      const refreshed = await shop.token({
        ...{ grant_type: 'refresh_token', refresh_token: textOf(whole, 'refresh_token'), scope: 'openid' },
      });

      expect(Object.keys((await userinfo(textOf(whole, 'access_token'))).body)).toContain('preferred_username');
      expect(Object.keys((await userinfo(textOf(refreshed, 'access_token'))).body)).toEqual(['sub']);
    });

    it('the refresh token of an application is no refresh cookie of this service', async () => {
      const token = textOf(await partyOf(PAGE).signIn(await signedIn()), 'refresh_token');

      const answer = await story.client().post('/token/refresh', {}, { headers: { cookie: `refresh_token=${token}` } });

      expect(answer).toBeRefused(401, 'REFRESH_INVALID');
      expect(await partyOf(PAGE).refresh(token)).toBeAnswered(200);
    });

    it('two tabs that refresh at the same time get the same successor', async () => {
      const page = partyOf(PAGE);
      const token = textOf(await page.signIn(await signedIn()), 'refresh_token');

      const both = await Promise.all([page.refresh(token), page.refresh(token)]);

      expect(new Set(both.map((answer) => textOf(answer, 'refresh_token'))).size).toBe(1);
      expect(await page.refresh(textOf(both[0], 'refresh_token'))).toBeAnswered(200);
    });

    it('the sign-out of the browser ends the sessions of its applications', async () => {
      const browser = await signedIn();
      const tokens = await partyOf(SHOP).signIn(browser);
      const offline = await partyOf(SHOP).signIn(browser, { scope: 'openid offline_access' });

      await browser.delete('/session');

      for (const answer of [tokens, offline]) {
        expect(await userinfo(textOf(answer, 'access_token'))).toBeAnswered(401);
        expect((await partyOf(SHOP).refresh(textOf(answer, 'refresh_token'))).body).toMatchObject({
          error: 'invalid_grant',
        });
      }
    });

    it('offline access outlasts the idle time of the browser, and other sessions do not', async () => {
      const browser = await signedIn();
      const shop = partyOf(SHOP);
      const online = textOf(await shop.signIn(browser), 'refresh_token');
      const offline = textOf(await shop.signIn(browser, { scope: 'openid offline_access' }), 'refresh_token');
      story.clock.advance(31 * 60);

      expect((await shop.refresh(online)).body).toMatchObject({ error: 'invalid_grant' });
      expect(await shop.refresh(offline)).toBeAnswered(200);
    });
  });

  describe('pushed requests and keys of clients', () => {
    const push = (party: RelyingParty, attempt: ReturnType<RelyingParty['attempt']>): Promise<Answer> => {
      const form = Object.fromEntries(new URLSearchParams(party.authorizePath(attempt).split('?')[1]));
      const authorization = `Basic ${Buffer.from(`${SHOP.id}:${SHOP.secret}`).toString('base64')}`;
      return story.client().send('POST', '/par', { form, headers: { authorization } });
    };
    const assertion = (changes: JWTPayload = {}, key = CLIENT_KEY.privateKey): Promise<string> => {
      const now = story.clock.seconds;
      const claims = {
        iss: 'keyed',
        sub: 'keyed',
        aud: `${ISSUER}/token`,
        jti: randomUUID(),
        exp: now + 60,
        ...changes,
      };
      return new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(key);
    };
    const withAssertion = (token: string): Promise<Answer> =>
      story.client().send('POST', '/token', {
        form: {
          grant_type: 'client_credentials',
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
          client_assertion: token,
        },
      });

    it('a pushed request is used by its address, once', async () => {
      const shop = partyOf(SHOP);
      const attempt = shop.attempt();
      const browser = await signedIn();

      const pushed = await push(shop, attempt);
      const path = `/authorize?${new URLSearchParams({ client_id: SHOP.id, request_uri: textOf(pushed, 'request_uri') }).toString()}`;
      const response = shop.response(await browser.get(path, HTML));

      expect(pushed).toBeAnswered(201);
      expect(await shop.redeem(response?.get('code') ?? '', attempt)).toBeAnswered(200);
      expect(await browser.get(path, HTML)).toBeAnswered(400);
    });

    it('a pushed request is not usable for another client', async () => {
      const pushed = await push(partyOf(SHOP), partyOf(SHOP).attempt());
      const query = new URLSearchParams({ client_id: BANK.id, request_uri: textOf(pushed, 'request_uri') });

      expect(await (await signedIn()).get(`/authorize?${query.toString()}`, HTML)).toBeAnswered(400);
    });

    it('a client authenticates with a token of its key, which is accepted once', async () => {
      const token = await assertion();

      const first = await withAssertion(token);
      const second = await withAssertion(token);

      expect(first).toBeAnswered(200);
      expect(decodeJwt(textOf(first, 'access_token'))).toMatchObject({
        sub: 'keyed',
        client_id: 'keyed',
        aud: 'keyed-api',
      });
      expect(second.body).toMatchObject({ error: 'invalid_client' });
    });

    it.each([ISSUER, `${ISSUER}/token`])('a token of a client may be for %s', async (aud) => {
      expect(await withAssertion(await assertion({ aud }))).toBeAnswered(200);
    });

    it('J1: tokens of a client with other claims, keys and algorithms are rejected', async () => {
      const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
      const unsigned = new UnsecuredJWT({ iss: 'keyed', sub: 'keyed', jti: 'x' }).setExpirationTime('1m').encode();
      const publicPem = CLIENT_KEY.publicKey.export({ format: 'pem', type: 'spki' });
      const confused = await new SignJWT({ iss: 'keyed', sub: 'keyed', jti: 'y', aud: ISSUER })
        .setProtectedHeader({ alg: 'HS256' })
        .setExpirationTime(story.clock.seconds + 60)
        .sign(Buffer.from(publicPem));
      const bent = [
        await assertion({ aud: 'https://other.example' }),
        await assertion({ aud: [ISSUER, 'https://other.example'] }),
        await assertion({ aud: [ISSUER] }),
        await assertion({ exp: story.clock.seconds - 60 }),
        await assertion({ exp: story.clock.seconds + 3600 }),
        await assertion({ jti: '' }),
        await assertion({ iss: 'shop' }),
        await assertion({}, other),
        ...[unsigned, confused],
      ];

      for (const token of bent) expect((await withAssertion(token)).body).toMatchObject({ error: 'invalid_client' });
    });
  });
});
