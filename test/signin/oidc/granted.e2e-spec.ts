import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { type Answer, type HttpClient, textOf } from '../../support/http/http-client.js';
import { PASSWORD, type Person, storyOn } from '../../support/login/login-story.js';
import { onAnyEngine } from '../../support/database/story-database.js';
import { RelyingParty } from '../../support/oidc/relying-party.js';
import { assert, PasskeyStory } from '../../support/passkey/passkey-story.js';

const SHOP = { id: 'shop', secret: 'a-secret-of-the-shop-0123456789', redirectUri: 'https://shop.example/cb' };
const STAFF = { id: 'staff', secret: 'a-secret-of-the-staff-0123456789', redirectUri: 'https://staff.example/cb' };

onAnyEngine('what tokens of applications grant', (engine) => {
  const story = storyOn(engine, {
    args: [
      `--app.security.clients.shop.secret=${SHOP.secret}`,
      `--app.security.clients.shop.redirect-uris=${SHOP.redirectUri}`,
      '--app.security.clients.shop.audience=orders,stock,resource-api',
      `--app.security.clients.staff.secret=${STAFF.secret}`,
      `--app.security.clients.staff.redirect-uris=${STAFF.redirectUri}`,
      '--app.security.clients.staff.claims=roles',
      '--app.security.clients.staff.scopes=openid,profile,offline_access',
    ],
    people: 20,
    others: { clerk: 'ROLE_CLERK' },
  });
  const shop = (): RelyingParty => new RelyingParty(SHOP, story.service.url);
  const signedIn = async ({ id, password }: Person = story.person()): Promise<HttpClient> => {
    const browser = story.client();
    await browser.post('/session', { id, pw: password });
    return browser;
  };
  const refresh = (tokens: Answer, changes: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    shop().token({ grant_type: 'refresh_token', refresh_token: textOf(tokens, 'refresh_token'), ...changes });
  const acrOf = (tokens: Answer): unknown => decodeJwt(textOf(tokens, 'id_token'))['acr'];
  const audienceOf = (tokens: Answer): unknown => decodeJwt(textOf(tokens, 'access_token')).aud;

  describe('the roles of the user', () => {
    it.each([
      ['are not in the access token of an application', SHOP, {}, []],
      ['are in the access token of an application that has the claim', STAFF, {}, ['ROLE_CLERK']],
      ['are in an access token for resource-api', SHOP, { resource: 'resource-api' }, ['ROLE_CLERK']],
    ])('%s', async (_, client, changes, roles) => {
      const party = new RelyingParty(client, story.service.url);
      const tokens = await party.signIn(await signedIn({ id: 'clerk', password: PASSWORD }), changes);

      const refreshed = await party.refresh(textOf(tokens, 'refresh_token'));

      expect([tokens, refreshed].map((each) => decodeJwt(textOf(each, 'access_token'))['roles'])).toEqual([
        roles,
        roles,
      ]);
    });
  });

  describe('J8: acr of the ID token', () => {
    it('is the class of the sign-in, also if the request prefers a weaker one', async () => {
      const person = await story.enrolled();
      const browser = await signedIn(person);
      await browser.post('/2fa/verify', { code: story.nextCode(person) });

      const tokens = await shop().signIn(browser, { acr_values: 'urn:login:acr:pwd' });

      expect(acrOf(tokens)).toBe('urn:login:acr:mfa');
    });

    it('is phr after a passkey, whatever the request prefers, and stays so', async () => {
      const passkeys = new PasskeyStory(story);
      const { authenticator, ...person } = await passkeys.holder();
      const browser = await signedIn(person);
      await assert(browser, {}, await passkeys.assertion(browser, {}, authenticator));

      const tokens = await shop().signIn(browser, { acr_values: 'urn:login:acr:mfa' });

      expect([tokens, await refresh(tokens)].map(acrOf)).toEqual(['urn:login:acr:phr', 'urn:login:acr:phr']);
    });
  });

  it('offline access is granted only to an application that has its scope', async () => {
    const staff = new RelyingParty(STAFF, story.service.url);
    const scope = 'openid profile offline_access';
    const browser = await signedIn();

    const [offline, other] = [await staff.signIn(browser, { scope }), await shop().signIn(browser, { scope })];

    expect([offline, other].map(({ body }) => body['scope'])).toEqual([scope, 'openid profile']);
  });

  describe('the audience', () => {
    it('of a refresh is the granted one, whether or not the application names it', async () => {
      const tokens = await shop().signIn(await signedIn(), { resource: 'stock' });

      const again = await refresh(tokens);
      const named = await refresh(again, { resource: 'stock' });

      expect([tokens, again, named].map(audienceOf)).toEqual(['stock', 'stock', 'stock']);
      expect(again.body['scope']).toBe('openid');
    });

    it('J5: of a refresh cannot be another one, and the refresh token stays usable', async () => {
      const tokens = await shop().signIn(await signedIn());

      const other = await refresh(tokens, { resource: 'stock' });

      expect(other.body).toMatchObject({ error: 'invalid_target' });
      expect(audienceOf(await refresh(tokens))).toBe('orders');
    });

    it('J5: of a code cannot be another one, and the code stays usable', async () => {
      const attempt = shop().attempt();
      const response = await shop().authorize(await signedIn(), attempt, { resource: 'stock' });
      const code = response.get('code') ?? '';

      const other = await shop().redeem(code, attempt, { resource: 'orders' });

      expect(other.body).toMatchObject({ error: 'invalid_target' });
      expect(audienceOf(await shop().redeem(code, attempt, { resource: 'stock' }))).toBe('stock');
    });
  });
});
