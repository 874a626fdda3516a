import { decodeJwt } from 'jose';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, type HttpClient, textOf } from '../../support/http/http-client.js';
import { Administrator, OTHERS } from '../../support/login/administrator.js';
import { type Enrolled, PASSWORD, storyOn } from '../../support/login/login-story.js';
import { onAnyEngine } from '../../support/database/story-database.js';
import { LogoutReceiver } from '../../support/oidc/logout-receiver.js';
import { RelyingParty } from '../../support/oidc/relying-party.js';

const SHOP = { id: 'shop', secret: 'a-secret-of-the-shop-0123456789', redirectUri: 'https://shop.example/cb' };
const CREW = { id: 'crew', secret: 'a-secret-of-the-crew-0123456789', redirectUri: 'https://crew.example/cb' };
const receiver = await new LogoutReceiver().start();
afterAll(() => receiver.stop());

onAnyEngine('the sessions of applications', (engine) => {
  const story = storyOn(engine, {
    args: [
      `--app.security.clients.shop.secret=${SHOP.secret}`,
      `--app.security.clients.shop.redirect-uris=${SHOP.redirectUri}`,
      '--app.security.clients.shop.scopes=openid,offline_access',
      `--app.security.clients.shop.backchannel-logout-uri=${receiver.url}`,
      `--app.security.clients.crew.secret=${CREW.secret}`,
      `--app.security.clients.crew.redirect-uris=${CREW.redirectUri}`,
      `--app.security.clients.crew.backchannel-logout-uri=${receiver.url}`,
      '--app.security.clients.crew.roles=ROLE_CREW',
    ],
    people: 20,
    others: { ...OTHERS, mate: 'ROLE_CREW', bosun: 'ROLE_CREW' },
  });
  const shop = (): RelyingParty => new RelyingParty(SHOP, story.service.url);
  const password = (browser: HttpClient, { id, password: pw }: Enrolled): Promise<Answer> =>
    browser.post('/session', { id, pw });
  const code = (browser: HttpClient, person: Enrolled): Promise<Answer> =>
    browser.post('/2fa/verify', { code: story.nextCode(person) });
  /** A user with both factors, and the tokens of an application. */
  const signedIn = async (): Promise<{ person: Enrolled; browser: HttpClient; tokens: Answer }> => {
    const person = await story.enrolled();
    const browser = story.client();
    await password(browser, person);
    await code(browser, person);
    return { person, browser, tokens: await shop().signIn(browser) };
  };
  const sidOf = (tokens: Answer): unknown => decodeJwt(textOf(tokens, 'access_token'))['sid'];
  const refresh = (tokens: Answer, party = shop()): Promise<Answer> => party.refresh(textOf(tokens, 'refresh_token'));
  /** What an ended session leaves to its application. */
  const ENDED = { userinfo: 401, refresh: 'invalid_grant', logouts: 1 };
  const endOf = async (tokens: Answer, party = shop()): Promise<typeof ENDED> => {
    const { status } = await story.client().get('/userinfo', { bearer: textOf(tokens, 'access_token') });
    const refreshed = await refresh(tokens, party);
    const logouts = await receiver.received('sid', sidOf(tokens));
    return { userinfo: status, refresh: textOf(refreshed, 'error'), logouts: logouts.length };
  };

  // The relay of events waits by the clock of the service.
  beforeEach(() => story.clock.run());

  describe('of a user who loses the role that the application demands', () => {
    const crew = (): RelyingParty => new RelyingParty(CREW, story.service.url);
    const signedInAs = async (id: string): Promise<Answer> => {
      const browser = story.client();
      await browser.post('/session', { id, pw: PASSWORD });
      return crew().signIn(browser);
    };

    it('S6: end at once by an administrator', async () => {
      const tokens = await signedInAs('mate');
      const administrator = await Administrator.of(story);
      const changed = await administrator.send('PATCH', `/users/${await story.subjectOf({ id: 'mate' })}`, {
        roles: [],
      });

      expect(changed).toBeAnswered(200);
      expect(await endOf(tokens, crew())).toEqual(ENDED);
    });

    it('S6: end at once by a command', async () => {
      const tokens = await signedInAs('bosun');
      const changed = await story.command('users', 'set-roles', 'bosun', 'ROLE_COOK');

      expect(changed.exitCode).toBe(0);
      expect(await endOf(tokens, crew())).toEqual(ENDED);
    });
  });

  describe('of a user who changes a credential', () => {
    it('S6: end by a new password, also those of the session that goes on', async () => {
      const { person, browser } = await signedIn();
      const offline = await shop().signIn(browser, { scope: 'openid offline_access' });
      const changed = await browser.post('/me/password', { current: person.password, new: `${person.password} 2` });

      expect(changed).toBeAnswered(204);
      expect(await browser.get('/session')).toBeAnswered(200);
      expect(await endOf(offline)).toEqual(ENDED);
    });

    it('S6: end when the second factor is switched off', async () => {
      const { person, browser, tokens } = await signedIn();
      const disabled = await browser.post('/2fa/disable', { code: story.nextCode(person) });

      expect(disabled).toBeAnswered(204);
      expect(await browser.get('/session')).toBeAnswered(200);
      expect(await endOf(tokens)).toEqual(ENDED);
    });

    it('go on if the user ends all other sessions', async () => {
      const { browser, tokens } = await signedIn();

      expect(await browser.delete('/sessions')).toBeAnswered(204);

      expect(await refresh(tokens)).toBeAnswered(200);
    });
  });

  describe('of a user who signs in again', () => {
    it('S3: a refresh does not extend the session that waits for its second factor', async () => {
      const { person, browser, tokens } = await signedIn();
      await password(browser, person);
      story.clock.advance(100);

      expect(await refresh(tokens)).toBeAnswered(200);
      story.clock.advance(100);

      expect(await code(browser, person)).toBeRefused(401, 'INVALID_TOKEN');
    });

    it('go on if the user gives the second factor up', async () => {
      const { person, browser, tokens } = await signedIn();
      await password(browser, person);
      story.clock.advance(200);

      expect(await refresh(tokens)).toBeAnswered(200);
      expect(receiver.tokens.map((token) => decodeJwt(token)['sid'])).not.toContain(sidOf(tokens));
    });

    it('belong to the new session as soon as it is complete', async () => {
      const { person, browser, tokens } = await signedIn();
      await password(browser, person);
      await password(browser, person);
      await code(browser, person);

      const refreshed = await refresh(tokens);
      expect(refreshed).toBeAnswered(200);
      await browser.delete('/session');

      expect(await endOf(refreshed)).toEqual(ENDED);
    });

    it('S7: a copy of the cookie before is worth nothing, even before the second factor', async () => {
      const { person, browser, tokens } = await signedIn();
      const copy = { headers: { cookie: `SESSION=${browser.cookie('SESSION') ?? ''}` } };
      await password(browser, person);

      expect(await story.client().get('/session', copy)).toBeAnswered(401);
      expect(await refresh(tokens)).toBeAnswered(200);
    });

    it('S7: the session before ends when the new one is complete', async () => {
      const { person, browser } = await signedIn();
      const ids = async (): Promise<readonly unknown[]> =>
        story.database.query("SELECT id FROM session WHERE user_id = ? AND kind = 'portal'", [
          await story.subjectOf(person),
        ]);
      await password(browser, person);
      expect(await ids()).toHaveLength(2);

      await code(browser, person);

      expect(await ids()).toHaveLength(1);
      expect(await story.countOf(person, 'SESSION_REVOKED')).toBe(1);
    });

    it('end with a sign-out before the second factor', async () => {
      const { person, browser, tokens } = await signedIn();
      await password(browser, person);

      await browser.delete('/session');

      expect(await endOf(tokens)).toEqual(ENDED);
    });

    it('end when another user signs in with the browser, even before the second factor', async () => {
      const { browser, tokens } = await signedIn();
      await password(browser, await story.enrolled());

      expect(await endOf(tokens)).toEqual(ENDED);
    });
  });
});
