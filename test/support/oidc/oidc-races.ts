import { randomUUID, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { expect, it } from 'vitest';
import { type Answer, type HttpClient, textOf } from '../http/http-client.js';
import type { LoginStory } from '../login/login-story.js';
import { atOnce } from '../login/races.js';
import { HTML, RelyingParty } from './relying-party.js';

const ISSUER = 'http://localhost:8080';
const RACER = {
  id: 'racer',
  secret: 'a-secret-of-the-racer-0123456789',
  redirectUri: 'https://racer.example/cb',
};
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Arguments of the services; `publicKey` is that of a client with a key. */
export function oidcRaceArgs(publicKey: KeyObject): readonly string[] {
  return [
    `--app.security.public-url=${ISSUER}`,
    `--app.security.clients.${RACER.id}.secret=${RACER.secret}`,
    `--app.security.clients.${RACER.id}.redirect-uris=${RACER.redirectUri}`,
    `--app.security.clients.keyed.keys=${String(publicKey.export({ format: 'pem', type: 'spki' }))}`,
    '--app.security.clients.keyed.grant-types=client_credentials',
  ];
}

/** What is used once is used by one of many requests at all services of a story. */
export function oidcRaces(story: LoginStory, privateKey: KeyObject, requests: number): void {
  const partyAt = (index: number): RelyingParty =>
    new RelyingParty(RACER, story.client(index % story.services.length).baseUrl);
  const signedIn = async (): Promise<HttpClient> => {
    const { id, password } = story.person();
    const browser = story.client();
    await browser.post('/session', { id, pw: password });
    return browser;
  };

  it('R13: of many redemptions of a code, one gets tokens, and they end with the next one', async () => {
    const party = partyAt(0);
    const attempt = party.attempt();
    const code = (await party.authorize(await signedIn(), attempt)).get('code') ?? '';

    const answers = await atOnce(requests, (index) => partyAt(index).redeem(code, attempt));

    const winners = answers.filter(({ status }) => status === 200);
    expect(winners.length).toBeLessThanOrEqual(1);
    expect(answers.filter(({ body }) => body['error'] === 'invalid_grant')).toHaveLength(requests - winners.length);
    const [winner] = winners;
    const bearer = winner === undefined ? 'none' : textOf(winner, 'access_token');
    expect(await story.client().get('/userinfo', { bearer })).toBeAnswered(401);
    const rows = await story.database.query('SELECT id FROM session WHERE client_id = ?', [RACER.id]);
    expect(rows).toEqual([]);
  });

  it('R13: of many uses of a pushed request, one gets a code', async () => {
    const party = partyAt(0);
    const attempt = party.attempt();
    const browser = await signedIn();
    const form = Object.fromEntries(new URLSearchParams(party.authorizePath(attempt).split('?')[1]));
    const authorization = `Basic ${Buffer.from(`${RACER.id}:${RACER.secret}`).toString('base64')}`;
    const pushed = await story.client().send('POST', '/par', { form, headers: { authorization } });
    const query = new URLSearchParams({ client_id: RACER.id, request_uri: textOf(pushed, 'request_uri') });
    const cookie = { ...HTML.headers, cookie: `SESSION=${browser.cookie('SESSION') ?? ''}` };

    const answers = await atOnce(requests, (index) =>
      story.client(index % story.services.length).get(`/authorize?${query.toString()}`, { headers: cookie }),
    );

    const codes = answers.filter((answer) => party.response(answer)?.has('code'));
    expect(codes).toHaveLength(1);
  });

  it('R13: of many requests with one token of a client, one is authenticated', async () => {
    const token = await new SignJWT({ iss: 'keyed', sub: 'keyed', aud: ISSUER, jti: randomUUID() })
      .setProtectedHeader({ alg: 'ES256' })
      .setExpirationTime(story.clock.seconds + 60)
      .sign(privateKey);
    const form = { grant_type: 'client_credentials', client_assertion_type: ASSERTION_TYPE, client_assertion: token };

    const answers = await atOnce(requests, (index): Promise<Answer> =>
      story.client(index % story.services.length).send('POST', '/token', { form }),
    );

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(requests - 1);
  });
}
