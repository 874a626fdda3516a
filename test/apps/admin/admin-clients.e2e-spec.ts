import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { ADMIN, Administrator, HELP_DESK } from '../../support/login/administrator.js';
import { type Members, textOf } from '../../support/http/http-client.js';
import { storyOn } from '../../support/login/login-story.js';
import { AdminBrowser } from '../../support/pages/admin-pages.js';
import { BROWSER, visit } from '../../support/pages/pages.js';
import { onAnyEngine } from '../../support/database/story-database.js';
import { RelyingParty } from '../../support/oidc/relying-party.js';

const SHOP = { id: 'shop', secret: 'a-secret-of-the-shop-0123456789', redirectUri: 'https://shop.example/cb' };
const PAGE = { id: 'page', redirectUri: 'https://page.example/cb' };
const KEY = String(generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' }));

onAnyEngine('the list of applications', (engine) => {
  const story = storyOn(engine, {
    people: 10,
    others: { [ADMIN]: 'ROLE_ADMIN', [HELP_DESK]: 'ROLE_HELPDESK' },
    args: [
      `--app.security.clients.shop.secret=${SHOP.secret}`,
      `--app.security.clients.shop.redirect-uris=${SHOP.redirectUri}`,
      '--app.security.clients.shop.name=The <Shop>',
      '--app.security.clients.shop.logo=https://static.shop.example/logo.svg?v=1&w=2',
      '--app.security.clients.shop.roles=ROLE_USER',
      '--app.security.clients.shop.min-acr=urn:login:acr:pwd',
      '--app.security.clients.shop.max-age=1h',
      '--app.security.clients.shop.access-lifetime=90s',
      '--app.security.clients.page.public=true',
      '--app.security.clients.page.logo=/static/page.png',
      `--app.security.clients.page.redirect-uris=${PAGE.redirectUri}`,
      `--app.security.clients.keyed.keys=${KEY}`,
    ],
  });
  let admin: Administrator;
  let helpDesk: Administrator;

  beforeAll(async () => {
    admin = await Administrator.of(story);
    helpDesk = await Administrator.of(story, HELP_DESK);
  });

  const listed = async (id: string): Promise<Members | undefined> => {
    const answer = await admin.send('GET', '/clients');
    expect(answer).toBeAnswered(200);
    expect(answer.text).not.toContain(SHOP.secret);
    return (answer.body['items'] as readonly Members[]).find((each) => each['id'] === id);
  };
  const signIn = async (): Promise<string> => {
    const person = story.person();
    const browser = story.client();
    await browser.post('/session', { id: person.id, pw: person.password });
    return textOf(await new RelyingParty(SHOP, story.service.url).signIn(browser), 'refresh_token');
  };

  describe('GET /admin/clients', () => {
    it('L1: GET /admin/clients states how each client is configured and where, without its secret', async () => {
      expect(await listed('shop')).toMatchObject({
        ...{ name: 'The <Shop>', kind: 'confidential', authentication: ['client_secret'] },
        logo: 'https://static.shop.example/logo.svg?v=1&w=2',
        ...{ redirect_uris: [SHOP.redirectUri], post_logout_redirect_uris: [], backchannel_logout_uri: null },
        ...{ audience: ['shop'], claims: [], grant_types: ['authorization_code', 'refresh_token'] },
        ...{ min_acr: 'urn:login:acr:pwd', max_age: 3600, roles: ['ROLE_USER'], access_lifetime: 90 },
        ...{ id_token_algorithm: 'RS256', signed_userinfo: false, sources: ['commandLineArgs'] },
      });
      expect(await listed('page')).toMatchObject({
        ...{ name: 'page', kind: 'public', authentication: ['none'], access_lifetime: 600, max_age: null },
      });
      expect(await listed('keyed')).toMatchObject({ authentication: ['private_key_jwt'], audience: ['resource-api'] });
    });

    it('GET /admin/clients counts the signed-in sessions of a client, and knows their last use', async () => {
      expect(await listed('page')).toMatchObject({ sessions: 0, last_used: null });
      const before = Number((await listed('shop'))?.['sessions']);
      const refreshToken = await signIn();
      await signIn();
      story.clock.advance(30);
      await new RelyingParty(SHOP, story.service.url).refresh(refreshToken);

      const after = await listed('shop');

      expect(after?.['sessions']).toBe(before + 2);
      expect(Date.parse(`${String(after?.['last_used'])}Z`)).toBe(story.clock.seconds * 1000);
    });

    it('GET /admin/clients does not count sessions that have expired', async () => {
      await signIn();
      story.clock.advance(86_400);
      const again = Administrator.signedIn(story, { ...admin.person, ...(await story.signIn(admin.person)) });
      admin = again;

      expect(await listed('shop')).toMatchObject({ sessions: 0, last_used: null });
    });

    it('GET /admin/clients is for administrators only', async () => {
      const { accessToken } = await story.signIn(await story.enrolled());
      const desk = await story.signIn(helpDesk.person);

      for (const bearer of [accessToken, desk.accessToken]) {
        expect(await admin.send('GET', '/clients', undefined, bearer)).toBeRefused(403, 'ACCESS_DENIED');
      }
    });
  });

  it('the page of applications shows what the list states, in the language of its reader', async () => {
    const browser = await AdminBrowser.of(story, admin.person);

    const english = await browser.visit('/portal/admin/applications');
    const korean = await visit(browser.client, '/portal/admin/applications?lang=ko');

    expect(english).toBeAnswered(200);
    expect(english.text).toContain('The &lt;Shop&gt;</h2>');
    expect(english.text).toContain(`<dt>Redirect URIs</dt><dd><code>${SHOP.redirectUri}</code></dd>`);
    expect(english.text).toContain('<dt>Lifetime of tokens</dt><dd>90 seconds</dd>');
    expect(english.text).toContain('<dt>Configured in</dt><dd><code>commandLineArgs</code></dd>');
    expect(english.text).not.toContain(SHOP.secret);
    expect(korean.text).toContain('<dt>리디렉션 주소</dt>');
  });

  describe('the logo of an application', () => {
    const signInPage = async (client: RelyingParty['client']): ReturnType<typeof visit> => {
      const browser = story.client();
      const party = new RelyingParty(client, story.service.url);
      const asked = await browser.get(party.authorizePath(party.attempt()), { headers: BROWSER });
      return visit(browser, asked.headers.get('location') ?? '');
    };

    it('the sign-in page shows the logo of the application, and may load images of its origin only', async () => {
      const page = await signInPage(SHOP);

      expect(page.text).toContain(
        '<img src="https://static.shop.example/logo.svg?v=1&amp;w=2" alt="The &lt;Shop&gt;">',
      );
      expect(page.headers.get('content-security-policy')).toContain(
        "img-src 'self' data: https://static.shop.example;",
      );
    });

    it('a logo at the host of the service needs no permission for another origin', async () => {
      const page = await signInPage(PAGE);

      expect(page.text).toContain('<img src="/static/page.png" alt="page">');
      expect(page.headers.get('content-security-policy')).toContain("img-src 'self' data:;");
    });

    it('the sign-in page without an application permits no images of other origins', async () => {
      const page = await visit(story.client(), '/portal/login');

      expect(page.headers.get('content-security-policy')).toContain("img-src 'self' data:;");
    });
  });
});
