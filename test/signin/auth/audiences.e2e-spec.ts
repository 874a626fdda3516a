import { decodeJwt } from 'jose';
import { expect, it } from 'vitest';
import { type Answer, textOf } from '../../support/http/http-client.js';
import { AuthenticatorApp } from '../../support/login/authenticator-app.js';
import { PASSWORD, refresh, storyOn } from '../../support/login/login-story.js';
import { onAnyEngine } from '../../support/database/story-database.js';

const ADMIN = 'boss';
const OTHER_ORIGIN = 'https://app.example';
const OWN_ROUTES = [
  ...['GET /me', 'GET /me/events', 'GET /me/devices', 'POST /me/password', 'GET /sessions', 'DELETE /sessions'],
  ...['GET /2fa', 'POST /2fa/setup', 'GET /session', 'GET /admin/users', 'GET /actuator/metrics'],
];

onAnyEngine('the audience of access tokens', (engine) => {
  const story = storyOn(engine, {
    args: ['--app.security.token.accept-resource-api=false', `--app.security.cors.allowed-origins=${OTHER_ORIGIN}`],
    others: { [ADMIN]: 'ROLE_ADMIN;ROLE_MANAGEMENT' },
  });
  const login = (more: object = {}): Promise<Answer> =>
    story.client().post('/login', { id: 'person-1', pw: PASSWORD, ...more });
  const send = (route: string, bearer: string): Promise<Answer> => {
    const [method = '', path = ''] = route.split(' ');
    return story.client().send(method, path, { bearer, ...(method === 'POST' && { json: {} }) });
  };

  it.each(OWN_ROUTES)('J5: a token for resource servers does not open %s', async (route) => {
    const bearer = textOf(await login(), 'access_token');

    expect(decodeJwt(bearer).aud).toBe('resource-api');
    expect(await send(route, bearer)).toBeRefused(401, 'INVALID_TOKEN');
  });

  it('J5: the token of an administrator opens the administration only if it was requested for this service', async () => {
    const person = { id: ADMIN, password: PASSWORD };
    const client = story.client();
    const half = await story.mfaToken(person, client);
    const setup = await client.post('/2fa/setup', {}, { bearer: half });
    const code = story.codeOf(AuthenticatorApp.scan(textOf(setup, 'otpauth_uri')));
    const confirmed = await client.post('/2fa/confirm', { code }, { bearer: half });
    const forResourceServers = textOf(confirmed, 'access_token');
    const forThisService = textOf(await client.post('/token/refresh', { resource: 'login-api' }), 'access_token');

    for (const route of ['GET /admin/users', 'GET /actuator/metrics']) {
      expect(await send(route, forResourceServers)).toBeRefused(401, 'INVALID_TOKEN');
      expect((await send(route, forThisService)).status, route).toBe(200);
    }
  });

  it('a token that is requested for this service names it as its audience, and opens the routes of its user', async () => {
    const bearer = textOf(await login({ resource: 'login-api' }), 'access_token');

    expect(decodeJwt(bearer).aud).toBe('login-api');
    expect(await send('GET /me', bearer)).toBeAnswered(200);
    expect(await send('GET /sessions', bearer)).toBeAnswered(200);
  });

  it('S3: a script of an allowed origin gets a token for resource servers by cookie, and none for this service', async () => {
    const client = story.client();
    await client.post('/login', { id: 'person-1', pw: PASSWORD });
    const refreshAs = (resource: string): Promise<Answer> =>
      client.post('/token/refresh', { resource }, { headers: { origin: OTHER_ORIGIN } });

    expect(await refreshAs('login-api')).toBeRefused(403, 'CROSS_SITE');
    expect(await refreshAs('resource-api')).toBeAnswered(200);
  });

  it('an unknown resource is rejected before the refresh token is used', async () => {
    const client = story.client();
    await client.post('/login', { id: 'person-1', pw: PASSWORD });

    const answer = await client.post('/token/refresh', { resource: 'https://other.example' });

    expect(answer).toBeRefused(400, 'VALIDATION_FAILED');
    expect(await refresh(client)).toBeAnswered(200);
  });

  it('a token for resource servers signs its user out, and is accepted by the example of a resource server', async () => {
    const bearer = textOf(await login(), 'access_token');

    expect(await send('GET /me/settlement', bearer)).toBeRefused(401, 'STEP_UP_REQUIRED');
    expect(await send('POST /logout', bearer)).toBeAnswered(204);
    expect(await send('GET /me/settlement', bearer)).toBeRefused(401, 'INVALID_TOKEN');
  });
});
