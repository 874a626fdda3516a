import { describe, expect, it } from 'vitest';
import { type Answer, type HttpClient, setCookie } from '../../support/http/http-client.js';
import { type Enrolled, PASSWORD, refresh, storyOn } from '../../support/login/login-story.js';
import { onSqlite } from '../../support/database/story-database.js';

const FRIEND = 'https://shop.example';

onSqlite('S5: cross-site requests', (engine) => {
  const story = storyOn(engine, { args: [`--app.security.cors.allowed-origins=${FRIEND}`] });

  type Headers = Readonly<Record<string, string>>;

  const FOREIGN: readonly (readonly [string, Headers])[] = [
    ['a foreign Origin', { origin: 'https://evil.example' }],
    ['the Origin null', { origin: 'null' }],
    ['an empty Origin', { origin: '' }],
    ['an Origin that only begins like an allowed one', { origin: `${FRIEND}.evil.example` }],
    ['an Origin of another scheme', { origin: FRIEND.replace('https', 'http') }],
    ['an Origin of another port', { origin: `${FRIEND}:8443` }],
    ['Sec-Fetch-Site cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['Sec-Fetch-Site same-site', { 'sec-fetch-site': 'same-site' }],
    ['an unknown Sec-Fetch-Site', { 'sec-fetch-site': 'x' }],
    [
      'a foreign Origin and Sec-Fetch-Site cross-site',
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    ],
  ];

  /** Every kind of request that changes state with a cookie as its credential, or signs in. */
  const REQUESTS: readonly (readonly [string, (browser: HttpClient, headers: Headers) => Promise<Answer>])[] = [
    ['POST /login', (browser, headers) => browser.post('/login', { id: 'person-1', pw: PASSWORD }, { headers })],
    [
      'POST /login/2fa',
      (browser, headers) => browser.post('/login/2fa', { mfa_token: 'x', code: '123456' }, { headers }),
    ],
    ['POST /session', (browser, headers) => browser.post('/session', { id: 'person-1', pw: PASSWORD }, { headers })],
    ['DELETE /session', (browser, headers) => browser.delete('/session', { headers })],
    ['POST /token/refresh', (browser, headers) => browser.post('/token/refresh', {}, { headers })],
    ['POST /token/revoke', (browser, headers) => browser.post('/token/revoke', {}, { headers })],
    ['POST /logout', (browser, headers) => browser.post('/logout', {}, { headers })],
    ['POST /2fa/setup', (browser, headers) => browser.post('/2fa/setup', {}, { headers })],
    ['POST /2fa/verify', (browser, headers) => browser.post('/2fa/verify', { code: '123456' }, { headers })],
    ['POST /2fa/confirm', (browser, headers) => browser.post('/2fa/confirm', { code: '123456' }, { headers })],
    ['POST /2fa/disable', (browser, headers) => browser.post('/2fa/disable', { code: '123456' }, { headers })],
    ['POST /2fa/backup-codes', (browser, headers) => browser.post('/2fa/backup-codes', {}, { headers })],
    ['DELETE /sessions', (browser, headers) => browser.delete('/sessions', { headers })],
    [
      'DELETE /sessions/{id}',
      async (browser, headers) => browser.delete(`/sessions/${await currentId(browser)}`, { headers }),
    ],
    ['DELETE /me/devices/{id}', (browser, headers) => browser.delete('/me/devices/some-device', { headers })],
    [
      'POST /me/password',
      (browser, headers) => browser.post('/me/password', { current: PASSWORD, new: 'changed by evil' }, { headers }),
    ],
  ];

  /** The session that the browser's cookie names. */
  async function currentId(browser: HttpClient): Promise<string> {
    const { body } = await browser.get('/sessions');
    const items = body['items'] as readonly { readonly id: string; readonly current: boolean }[];
    return items.find(({ current }) => current)?.id ?? '';
  }

  /** A browser with both kinds of cookies. */
  async function signedIn(): Promise<HttpClient> {
    const person = story.person();
    const { client } = await story.signInByPassword(person);
    expect(await client.post('/session', { id: person.id, pw: person.password })).toBeAnswered(200);
    return client;
  }

  let shared: Promise<HttpClient> | undefined;
  /** The rejected requests do not change this browser, so all tests can share it. */
  function signedInOnce(): Promise<HttpClient> {
    shared ??= signedIn();
    return shared;
  }

  let enrolled: Promise<Enrolled> | undefined;
  function enrolledOnce(): Promise<Enrolled> {
    enrolled ??= story.enrolled();
    return enrolled;
  }

  describe.each(REQUESTS)('%s', (_, send) => {
    it.each(FOREIGN)('S5: a request with a cookie and %s is rejected and the session remains', async (__, headers) => {
      const browser = await signedInOnce();

      const answer = await send(browser, headers);

      expect(answer).toBeRefused(403, 'CROSS_SITE');
      expect(await browser.get('/session')).toBeAnswered(200);
    });
  });

  it.each(FOREIGN)('S5: a sign-in request with %s is rejected even without a cookie', async (_, headers) => {
    const { id, password } = story.person();
    const mfaToken = await story.mfaToken(await enrolledOnce());
    const bodies = {
      '/login': { id, pw: password },
      '/login/2fa': { mfa_token: mfaToken, code: '123456' },
      '/session': { id, pw: password },
    };

    for (const [path, body] of Object.entries(bodies)) {
      expect(await story.client().post(path, body, { headers }), path).toBeRefused(403, 'CROSS_SITE');
    }
  });

  it('S5: a form or plain text is rejected for its media type', async () => {
    const browser = await signedIn();

    for (const path of ['/token/refresh', '/login', '/login/2fa', '/session', '/2fa/setup', '/me/password']) {
      const answer = await browser.send('POST', path, { form: { id: 'person-1', pw: PASSWORD } });
      expect(answer, path).toBeRefused(415, 'UNSUPPORTED_MEDIA_TYPE');
      const asText = await browser.send('POST', path, {
        raw: JSON.stringify({ id: 'person-1', pw: PASSWORD }),
        headers: { 'content-type': 'text/plain' },
      });
      expect(asText, path).toBeRefused(415, 'UNSUPPORTED_MEDIA_TYPE');
    }
  });

  it('S5: GET of a state-changing path gets 405 and does not end the session', async () => {
    const browser = await signedIn();

    for (const path of [
      ...['/token/refresh', '/token/revoke', '/logout', '/login', '/login/2fa', '/2fa/setup', '/2fa/verify'],
    ]) {
      const answer = await browser.get(path);
      expect(answer, path).toBeRefused(405, 'METHOD_NOT_ALLOWED');
      expect(answer.headers.get('allow'), path).toContain('POST');
    }
    expect(await refresh(browser)).toBeAnswered(200);
  });

  it.each<readonly [string, (url: string) => Headers]>([
    ['our own Origin', (url) => ({ origin: url, 'sec-fetch-site': 'same-origin' })],
    ['an allowed Origin', () => ({ origin: FRIEND, 'sec-fetch-site': 'cross-site' })],
    ['neither header, as apps send it', () => ({})],
    ['Sec-Fetch-Site same-origin alone', () => ({ 'sec-fetch-site': 'same-origin' })],
  ])('POST /token/refresh accepts %s', async (_, headers) => {
    const browser = await signedIn();

    const answer = await browser.post('/token/refresh', {}, { headers: headers(story.service.url) });

    expect(answer).toBeAnswered(200);
    expect(setCookie(answer, 'refresh_token')?.value).toBeDefined();
  });

  it.each<readonly [string, string, object | undefined]>([
    ['GET', '/admin/users', undefined],
    ['PATCH', '/admin/users/some-user', { roles: ['ROLE_ADMIN'] }],
    ['GET', '/2fa', undefined],
    ['POST', '/2fa/setup', {}],
    ['POST', '/2fa/disable', { code: '123456' }],
    ['POST', '/2fa/backup-codes', {}],
    ['POST', '/2fa/passkeys/registration/options', {}],
    ['PATCH', '/2fa/authenticators/some-app', { name: 'mine' }],
    ['POST', '/me/password', { current: PASSWORD, new: 'changed by another site' }],
    ['POST', '/password/forgot', { id: 'person-1' }],
    ['GET', '/me/events', undefined],
    ['GET', '/me/devices', undefined],
    ['DELETE', '/me/devices/some-device', undefined],
    ['GET', '/sessions', undefined],
    ['DELETE', '/sessions', undefined],
    ['GET', '/portal/security', undefined],
  ])('S3: an allowed origin may not use the cookie of a user for %s %s', async (method, path, json) => {
    const browser = await signedInOnce();
    const headers = { origin: FRIEND, 'sec-fetch-site': 'cross-site' };
    const body = json === undefined ? {} : { raw: JSON.stringify(json) };
    const type = json === undefined ? {} : { 'content-type': 'application/json' };

    const answer = await browser.send(method, path, { ...body, headers: { ...headers, ...type } });

    expect(answer).toBeRefused(403, 'CROSS_SITE');
    expect(await browser.get('/session')).toBeAnswered(200);
  });

  it.each<readonly [string, string]>([
    ['a public page', '/'],
    ['a public redirect that reads the cookie', '/portal/resume'],
    ['the sign-in page', '/portal/login'],
    ['a page of signed-in users', '/portal/security'],
    ['a page of administrators', '/portal/admin'],
  ])('S3: Authorization does not let an allowed origin use the cookie for %s', async (_, path) => {
    const browser = await signedInOnce();

    for (const authorization of ['x', 'Bearer x', 'Basic eDp4']) {
      const headers = { origin: FRIEND, 'sec-fetch-site': 'cross-site', authorization };
      const answer = await browser.get(path, { headers });

      expect(answer, authorization).toBeRefused(403, 'CROSS_SITE');
      expect(answer.text, authorization).not.toContain('person-');
    }
    expect(await browser.get('/session')).toBeAnswered(200);
  });

  it('S3: a public route of the API rejects the cookie from an allowed origin, with Authorization, too', async () => {
    const headers = { origin: FRIEND, 'sec-fetch-site': 'cross-site', authorization: 'x' };

    const answer = await (await signedInOnce()).post('/password/forgot', { id: 'person-1' }, { headers });

    expect(answer).toBeRefused(403, 'CROSS_SITE');
  });

  it('S3: no GET shows an allowed origin with any Authorization more than a visitor without cookies gets', async () => {
    const browser = await signedInOnce();
    const headers = { origin: FRIEND, 'sec-fetch-site': 'cross-site', authorization: 'x' };
    const { paths } = (await browser.get('/openapi.json')).body as { readonly paths: Record<string, object> };
    const routes = Object.keys(paths).filter((path) => 'get' in (paths[path] ?? {}));
    expect(routes.length).toBeGreaterThan(40);

    for (const path of routes.map((route) => route.replaceAll(/\{\w+\}/g, 'x'))) {
      const { status, headers: sent, text } = await browser.get(path, { headers });
      if (status === 401 || status === 403) continue;
      const stranger = await story.client().get(path, { headers });
      // The body of an error names the request.
      const shown = (body: string): string => (status < 400 ? body : '');
      expect([status, sent.get('location'), shown(text)], path).toEqual([
        stranger.status,
        stranger.headers.get('location'),
        shown(stranger.text),
      ]);
    }
  });

  it('S3: beside an access token, the cookie of another user has no effect for an allowed origin', async () => {
    const browser = await signedIn();
    const { accessToken: bearer } = await story.signInByPassword(story.person());
    const headers = { origin: FRIEND, 'sec-fetch-site': 'cross-site' };

    const { body: byToken } = await browser.get('/me', { bearer, headers });
    const { body: byCookie } = await browser.get('/me');

    expect(byToken['sub']).not.toBe(byCookie['sub']);
    expect(await browser.get('/sessions', { headers: { ...headers, authorization: 'x' } })).toBeRefused(
      401,
      'INVALID_TOKEN',
    );
  });

  it('an allowed origin signs a user in, reads who it is, and signs out with its cookies', async () => {
    const { id, password } = story.person();
    const browser = story.client();
    const headers = { origin: FRIEND, 'sec-fetch-site': 'cross-site' };

    expect(await browser.post('/session', { id, pw: password }, { headers })).toBeAnswered(200);
    expect(await browser.get('/session', { headers })).toBeAnswered(200);
    expect(await browser.get('/me', { headers })).toBeAnswered(200);
    expect(await browser.get('/.well-known/jwks.json', { headers })).toBeAnswered(200);
    expect(await browser.delete('/session', { headers })).toBeAnswered(204);
  });

  it('S3: an allowed origin may use an access token for the routes that it may not use a cookie for', async () => {
    const { client, accessToken: bearer } = await story.signInByPassword(story.person());

    expect(await client.get('/sessions', { bearer, headers: { origin: FRIEND } })).toBeAnswered(200);
  });

  it('a request with an access token is accepted from a foreign Origin, since no other site can send that header', async () => {
    const { client, accessToken: bearer } = await story.signInByPassword(story.person());
    client.forget('refresh_token');

    const answer = await client.post('/2fa/setup', {}, { bearer, headers: { origin: 'https://evil.example' } });

    expect(answer).toBeAnswered(201);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });
});
