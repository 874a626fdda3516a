import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, type HttpClient, textOf } from '../../support/http/http-client.js';
import { storyOn } from '../../support/login/login-story.js';
import { submit, visit } from '../../support/pages/pages.js';
import { onAnyEngine } from '../../support/database/story-database.js';
import { LogoutReceiver } from '../../support/oidc/logout-receiver.js';
import { HTML, RelyingParty } from '../../support/oidc/relying-party.js';

const SHOP = { id: 'shop', secret: 'a-secret-of-the-shop-0123456789', redirectUri: 'https://shop.example/cb' };
const BYE = 'https://shop.example/bye';
const receiver = await new LogoutReceiver().start();
const tarpit = await new LogoutReceiver().start();
afterAll(() => Promise.all([receiver.stop(), tarpit.stop()]));

onAnyEngine('sign-outs with applications', (engine) => {
  const story = storyOn(engine, {
    args: [
      `--app.security.clients.shop.secret=${SHOP.secret}`,
      `--app.security.clients.shop.redirect-uris=${SHOP.redirectUri}`,
      `--app.security.clients.shop.post-logout-redirect-uris=${BYE}`,
      `--app.security.clients.shop.backchannel-logout-uri=${receiver.url}`,
      '--app.security.clients.hanging.public=true',
      `--app.security.clients.hanging.backchannel-logout-uri=${tarpit.url}`,
    ],
    people: 20,
  });
  const shop = (): RelyingParty => new RelyingParty(SHOP, story.service.url);
  const signedIn = async (
    person = story.person(),
  ): Promise<{ browser: HttpClient; idToken: string; tokens: Answer }> => {
    const browser = story.client();
    await browser.post('/session', { id: person.id, pw: person.password });
    const tokens = await shop().signIn(browser);
    return { browser, tokens, idToken: textOf(tokens, 'id_token') };
  };
  const endSession = (browser: HttpClient, parameters: Readonly<Record<string, string>>): Promise<Answer> =>
    browser.get(`/end-session?${new URLSearchParams(parameters).toString()}`, HTML);
  const isSignedIn = async (browser: HttpClient): Promise<boolean> => (await browser.get('/session')).status === 200;

  beforeEach(() => {
    receiver.status = 200;
    // The relay of events waits by the clock of the service.
    story.clock.run();
  });

  describe('that an application requests', () => {
    it('with an ID token of the user end the session and lead back to the application', async () => {
      const { browser, idToken } = await signedIn();

      const answer = await endSession(browser, {
        ...{ id_token_hint: idToken, post_logout_redirect_uri: BYE, state: 'x' },
      });

      expect(answer).toBeAnswered(303);
      expect(answer.headers.get('location')).toBe(`${BYE}?state=x`);
      expect(await isSignedIn(browser)).toBe(false);
    });

    it('without an ID token ask the user first', async () => {
      const { browser } = await signedIn();

      const asked = await endSession(browser, { client_id: SHOP.id, post_logout_redirect_uri: BYE });
      const page = await visit(browser, asked.headers.get('location') ?? '');
      expect(await isSignedIn(browser)).toBe(true);
      const sent = await submit(browser, page, {}, {}, 'Sign out');
      const back = await visit(browser, sent.headers.get('location') ?? '');

      expect(back.headers.get('location')).toBe(BYE);
      expect(await isSignedIn(browser)).toBe(false);
    });

    it('with the ID token of another user ask the user of the browser first', async () => {
      const { idToken } = await signedIn();
      const { browser } = await signedIn();

      const answer = await endSession(browser, { id_token_hint: idToken });

      expect(answer.headers.get('location')).toMatch(/^\/portal\/logout\?/);
      expect(await isSignedIn(browser)).toBe(true);
    });

    it('S5: an ID token without the cookie of its user ends the session of its application alone', async () => {
      const { browser, idToken, tokens } = await signedIn();

      await endSession(story.client(), { id_token_hint: idToken });

      expect(await isSignedIn(browser)).toBe(true);
      expect(await story.client().get('/userinfo', { bearer: textOf(tokens, 'access_token') })).toBeAnswered(401);
    });

    it.each([
      ['another address', { client_id: SHOP.id, post_logout_redirect_uri: 'https://evil.example/' }],
      ['an address and no application', { post_logout_redirect_uri: BYE }],
      ['a token that is not ours', { id_token_hint: 'eyJhbGciOiJub25lIn0.e30.' }],
    ])('with %s get an error page and end nothing', async (_, parameters) => {
      const { browser } = await signedIn();

      const answer = await endSession(browser, parameters);

      expect(answer).toBeAnswered(400);
      expect(await isSignedIn(browser)).toBe(true);
    });
  });

  describe('that the application is told of', () => {
    it('a sign-out at this service reaches the application by a logout token of its session', async () => {
      const { browser, idToken } = await signedIn();
      const { sid, sub } = decodeJwt(idToken);

      await browser.delete('/session');
      const [token = ''] = await receiver.received('sid', sid);

      const keys = createRemoteJWKSet(new URL(`${story.service.url}/.well-known/jwks.json`));
      const { payload } = await jwtVerify(token, keys, {
        ...{ audience: SHOP.id, typ: 'logout+jwt', currentDate: new Date(story.clock.millis) },
      });
      expect(payload).toMatchObject({
        ...{ sid, sub, events: { 'http://schemas.openid.net/event/backchannel-logout': {} } },
      });
      expect(payload).not.toHaveProperty('nonce');
    });

    it('a disabled account reaches the application, also by a command', async () => {
      const person = story.person();
      await signedIn(person);

      const ended = await story.command('users', 'disable', person.id);

      expect(ended.exitCode).toBe(0);
      expect(await receiver.received('sub', await story.subjectOf(person))).toHaveLength(1);
    });

    it('R7: a sign-out reaches an application while another one hangs with 500 of its own', async () => {
      const { browser, idToken } = await signedIn();
      tarpit.isHanging = true;
      const rows = Array.from({ length: 500 }, (_, index) => {
        const body = JSON.stringify({ client: 'hanging', sid: `sid-${index}`, sub: 'somebody' });
        return `('sid-${index}', 'sid-${index}', 'hanging', 1, 'BACKCHANNEL_LOGOUT', '${body}', 'pending', 0, 1, 0, 1, 9999999999)`;
      });
      await story.database.query(
        `INSERT INTO webhook_delivery
           (id, queue, target, position, kind, body, state, attempts, next_at, leased_until, created_at, expires_at)
         VALUES ${rows.join(', ')}`,
      );
      await tarpit.received('sub', 'somebody', 2);

      await browser.delete('/session');

      expect(await receiver.received('sid', decodeJwt(idToken)['sid'])).toHaveLength(1);
      expect(tarpit.mostOpen).toBe(2);
    });

    it('an application that does not accept it is told again', async () => {
      const { browser, idToken } = await signedIn();
      const { sid } = decodeJwt(idToken);
      receiver.status = 500;

      await browser.delete('/session');
      await receiver.received('sid', sid);
      receiver.status = 200;
      story.clock.advance(10);

      expect(await receiver.received('sid', sid, 2)).toHaveLength(2);
    });
  });
});
