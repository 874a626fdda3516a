import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi } from '../../examples/nestjs-api/src/api.js';
import { onSqlite } from '../support/database/story-database.js';
import { storyInTurns } from '../support/examples/story-in-turns.js';
import { HttpClient, textOf } from '../support/http/http-client.js';
import type { Enrolled } from '../support/login/login-story.js';
import { RelyingParty } from '../support/oidc/relying-party.js';
import { freePort } from '../support/programs/free-port.js';

const CLIENT = { id: 'example-spa', redirectUri: 'http://localhost:3000/' };
const OTHER = { id: 'other', redirectUri: 'http://localhost:3009/' };
const AUDIENCE = 'example-api';
const STEP_UP = 'Bearer error="insufficient_user_authentication", acr_values="urn:login:acr:mfa"';
const port = await freePort();

describe('examples/nestjs-api', () => {
  onSqlite('accepts access tokens', (engine) => {
    const issuer = `http://localhost:${port}`;
    const story = storyInTurns(engine, port, [
      ...[CLIENT, OTHER].flatMap(({ id, redirectUri }) => [
        `--app.security.clients.${id}.public=true`,
        `--app.security.clients.${id}.redirect-uris=${redirectUri}`,
      ]),
      `--app.security.clients.${CLIENT.id}.audience=${AUDIENCE}`,
    ]);
    let api: NestFastifyApplication;
    let client: HttpClient;
    beforeAll(async () => {
      api = await createApi({ issuer, audience: AUDIENCE, origin: 'http://localhost:3000' });
      await api.listen(0, '127.0.0.1');
      client = new HttpClient((await api.getUrl()).replace('[::1]', '127.0.0.1'));
    });
    afterAll(() => api.close());

    const browserOf = async ({ id, password } = story.person()): Promise<HttpClient> => {
      const browser = story.client();
      await browser.post('/session', { id, pw: password });
      return browser;
    };
    const browserWithCode = async (person: Enrolled): Promise<HttpClient> => {
      const browser = await browserOf(person);
      await browser.post('/2fa/verify', { code: story.nextCode(person) });
      return browser;
    };
    const tokenOf = async (browser: HttpClient, party = CLIENT, kind = 'access_token'): Promise<string> =>
      textOf(await new RelyingParty(party, story.service.url).signIn(browser), kind);

    it('a token of a password sign-in reads the balance, and more proof is requested for the rest', async () => {
      const bearer = await tokenOf(await browserOf());

      const statements = await client.get('/statements', { bearer });
      const payment = await client.post('/payments', {}, { bearer });

      expect(await client.get('/balance', { bearer })).toBeAnswered(200);
      expect(statements).toBeAnswered(401);
      expect(statements.headers.get('www-authenticate')).toBe(STEP_UP);
      expect(payment).toBeAnswered(401);
      expect(payment.headers.get('www-authenticate')).toBe(`${STEP_UP}, max_age="300"`);
    });

    it('a token of a sign-in with a fresh code reads statements and pays', async () => {
      const bearer = await tokenOf(await browserWithCode(await story.enrolled()));

      expect(await client.get('/statements', { bearer })).toBeAnswered(200);
      expect(await client.post('/payments', {}, { bearer })).toBeAnswered(201);
    });

    it('a code that was proven more than five minutes ago reads statements, but does not pay', async () => {
      story.clock.back(330);
      const bearer = await tokenOf(await browserWithCode(await story.enrolled()));
      story.clock.advance(330);

      expect(await client.get('/statements', { bearer })).toBeAnswered(200);
      expect(await client.post('/payments', {}, { bearer })).toBeAnswered(401);
    });

    it('a request without a token, and one with a token that is not for this API, is rejected', async () => {
      const browser = await browserOf();
      const others = [await tokenOf(browser, OTHER), await tokenOf(browser, CLIENT, 'id_token'), 'none'];

      const answers = await Promise.all(others.map((bearer) => client.get('/balance', { bearer })));
      const anonymous = await client.get('/balance');

      expect(answers.map(({ headers }) => headers.get('www-authenticate'))).toEqual(
        others.map(() => 'Bearer error="invalid_token"'),
      );
      expect(anonymous).toBeAnswered(401);
      expect(anonymous.headers.get('www-authenticate')).toBe('Bearer');
    });
  });
});
