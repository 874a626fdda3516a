import { decodeJwt } from 'jose';
import { expect, it } from 'vitest';
import { textOf } from '../../support/http/http-client.js';
import { PASSWORD, refresh, secondStep, storyOn } from '../../support/login/login-story.js';
import { onSqlite } from '../../support/database/story-database.js';

const PUBLIC_URL = 'https://login.example.org/auth';

onSqlite('server.servlet.context-path', (engine) => {
  const story = storyOn(engine, {
    args: ['--server.servlet.context-path=/auth', `--app.security.public-url=${PUBLIC_URL}`],
  });

  it('login, refresh and /me work below the context path, and /login above it does not exist', async () => {
    const person = await story.enrolled();
    const { client, accessToken: bearer } = await story.signIn(person);

    expect(story.service.url).toMatch(/\/auth$/);
    expect(await client.get('/me', { bearer })).toBeAnswered(200);
    expect(await refresh(client)).toBeAnswered(200);
    const above = new URL('/login', story.service.url);
    expect((await fetch(above, { method: 'POST' })).status).toBe(404);
  });

  it('every cookie has a path below the context path, no Domain, and is HttpOnly and Secure', async () => {
    const person = await story.enrolled();
    const { answer } = await story.signIn(person);
    const portal = await story.client().post('/session', { id: person.id, pw: PASSWORD });

    const cookies = [...answer.cookies, ...portal.cookies];

    expect(cookies.map(({ name }) => name)).toEqual(expect.arrayContaining(['refresh_token', 'SESSION']));
    for (const { name, attributes } of cookies) {
      expect(attributes, name).toMatchObject({ httponly: true, secure: true, samesite: expect.any(String) as string });
      expect(attributes['path'], name).toMatch(name === 'refresh_token' ? /^\/auth\/token$/ : /^\/auth\/$/);
      expect(attributes, name).not.toHaveProperty('domain');
    }
  });

  it('a half-authenticated session below a context path is rejected at /me until the second factor succeeds', async () => {
    const person = await story.enrolled();
    const browser = story.client();
    await browser.post('/session', { id: person.id, pw: PASSWORD });

    expect(await browser.get('/me')).toBeRefused(403, 'MFA_REQUIRED');
    expect(await browser.post('/2fa/verify', { code: story.nextCode(person) })).toBeAnswered(200);
    expect(await browser.get('/me')).toBeAnswered(200);
  });

  it('an error response names the full request path without the query', async () => {
    const answer = await story.client().post('/login?x=1', { id: 'nobody', pw: 'wrong' });

    expect(answer.body['instance']).toBe('/auth/login');
  });

  it('the public URL is the issuer of all tokens, the base of the metadata and the accepted origin', async () => {
    const person = await story.enrolled();
    const { client, accessToken } = await story.signIn(person);
    const metadata = await client.get('/.well-known/oauth-authorization-server');
    const mfaToken = await story.mfaToken(person);

    expect(decodeJwt(accessToken).iss).toBe(PUBLIC_URL);
    expect(decodeJwt(mfaToken).iss).toBe(PUBLIC_URL);
    expect(metadata.body).toMatchObject({
      issuer: PUBLIC_URL,
      jwks_uri: `${PUBLIC_URL}/.well-known/jwks.json`,
    });
    const own = await client.post('/token/refresh', {}, { headers: { origin: 'https://login.example.org' } });
    expect(own).toBeAnswered(200);
    const byHost = await client.post('/token/refresh', {}, { headers: { origin: new URL(story.service.url).origin } });
    expect(byHost).toBeRefused(403, 'CROSS_SITE');
    expect(textOf(own, 'access_token')).not.toBe('');
    expect(await secondStep(client, mfaToken, story.nextCode(person))).toBeAnswered(200);
  });
});
