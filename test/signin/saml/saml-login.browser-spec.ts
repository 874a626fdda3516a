import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuthenticatorApp } from '../../support/login/authenticator-app.js';
import { launchChromium } from '../../support/pages/chromium.js';
import { IdpServer } from '../../support/saml/identity-provider-server.js';
import { storyOn } from '../../support/login/login-story.js';
import { enterCode } from '../../support/pages/portal-browser.js';
import { needs } from '../../support/runner/needs.js';
import { MFA_CLASS, PASSWORD_CLASS } from '../../support/saml/staff-story.js';
import { onSqlite } from '../../support/database/story-database.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';

/** Names of the identity providers, and the keys of each beside its metadata. */
const IDPS = {
  corp: {},
  posting: { 'sso-binding': 'post' },
  passing: { 'sso-binding': 'post' },
  local: { 'on-missing-mfa': 'local-totp' },
} as const;
type Name = keyof typeof IDPS;
const NAMES = Object.keys(IDPS) as Name[];

// localhost and 127.0.0.1 are different sites, so the form that the identity provider posts is cross-site.
needs('chromium')('SAML sign-in in a browser', () => {
  onSqlite('identity provider on another site', (engine) => {
    const folder = temporaryFolder('idp');
    const servers = new Map<Name, IdpServer>();
    let browser: Browser;
    let hub: Server;

    // Runs before the story, which reads the metadata files.
    beforeAll(async () => {
      for (const name of NAMES) {
        const server = await IdpServer.start({ now: () => story.clock.millis });
        servers.set(name, server);
      }
      hub = await hubBefore(idp('passing'));
      const { port } = hub.address() as AddressInfo;
      idp('passing').settings.metadata = { ssoUrl: `http://127.0.0.1:${port}/sso` };
      for (const name of NAMES) writeFileSync(metadataFile(name), idp(name).metadata);
      browser = await launchChromium();
    });

    const story = storyOn(engine, {
      people: 0,
      args: NAMES.flatMap((name) =>
        Object.entries({ metadata: `file:${metadataFile(name)}`, ...IDPS[name] }).map(
          ([key, value]) => `--app.security.saml.idp.${name}.${key}=${value}`,
        ),
      ),
    });

    afterAll(async () => {
      await browser.close();
      hub.close();
      await Promise.all(Array.from(servers.values(), (server) => server.stop()));
    });

    function metadataFile(name: Name): string {
      return join(folder, `${name}.xml`);
    }

    function idp(name: Name): IdpServer {
      const server = servers.get(name);
      if (!server) throw new Error(`${name} was not started`);
      return server;
    }

    /** The service under the name for which browsers keep Secure cookies without https. */
    function urlOf(path: string): string {
      return `${story.service.url.replace('127.0.0.1', 'localhost')}${path}`;
    }

    async function person(options: BrowserContextOptions = {}): Promise<{ page: Page; complaints: string[] }> {
      const context = await browser.newContext(options);
      const page = await context.newPage();
      const complaints: string[] = [];
      // Leaves out messages about expected error statuses and the missing favicon.
      page.on('console', (message) => {
        if (!message.text().startsWith('Failed to load resource')) complaints.push(message.text());
      });
      return { page, complaints };
    }

    function depart(page: Page, name: Name, returnTo = '/session'): Promise<unknown> {
      return page.goto(urlOf(`/saml/${name}/login?return_to=${encodeURIComponent(returnTo)}`));
    }

    function signIn(page: Page): Promise<void> {
      return page.getByRole('button', { name: 'Sign in' }).click();
    }

    async function sessionOn(page: Page): Promise<unknown> {
      expect(page.url()).toBe(urlOf('/session'));
      return JSON.parse((await page.textContent('body')) ?? '');
    }

    function giveCode(page: Page, code: string): Promise<void> {
      return enterCode(page, code);
    }

    describe('HTTP-Redirect binding', () => {
      beforeAll(() => {
        idp('corp').settings.person = { nameId: 'ada', authnContextClassRef: MFA_CLASS };
      });

      it('X8: the SAML response with the request cookie signs in the user on the requested page', async () => {
        const { page, complaints } = await person();
        await depart(page, 'corp');
        const [mark] = await page.context().cookies(urlOf('/saml/corp/acs'));
        await signIn(page);

        expect(mark).toMatchObject({ name: 'saml_request', httpOnly: true, secure: true, sameSite: 'None' });
        expect(await sessionOn(page)).toMatchObject({ amr: ['pwd', 'otp'] });
        const cookies = await page.context().cookies();
        expect(Object.fromEntries(cookies.map(({ name, sameSite }) => [name, sameSite]))).toEqual({
          SESSION: 'Lax',
          refresh_token: 'Strict',
        });
        expect(complaints).toEqual([]);
      });

      it('a script of the own origin gets an access token after SAML sign-in', async () => {
        const { page } = await person();
        await depart(page, 'corp');
        await signIn(page);
        const app = urlOf('/app.html');
        await page.route(app, (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }));
        await page.goto(app);

        const answer = await page.evaluate<{ status: number; body: { access_token?: string } }>(
          `fetch('/token/refresh', { method: 'POST' }).then(async (it) => ({ status: it.status, body: await it.json() }))`,
        );

        expect(answer).toMatchObject({ status: 200, body: { access_token: expect.any(String) as string } });
      });

      it('two tabs sign in with SAML in reverse order', async () => {
        const { page: first } = await person();
        const second = await first.context().newPage();
        await depart(first, 'corp');
        await depart(second, 'corp');
        await signIn(second);
        expect(await sessionOn(second)).toMatchObject({ amr: ['pwd', 'otp'] });
        await signIn(first);

        expect(await sessionOn(first)).toMatchObject({ amr: ['pwd', 'otp'] });
      });

      it('X8: a SAML response in another browser without the request cookie is rejected', async () => {
        const { page } = await person();
        await depart(page, 'corp');
        const { page: other } = await person();
        await other.goto(page.url());
        await signIn(other);

        expect(other.url()).toBe(urlOf('/saml/corp/acs'));
        await other.getByText('SAML_RESPONSE_INVALID').waitFor();
        expect(await other.context().cookies()).toEqual([]);
      });

      it('a rejected SAML response shows a page with the error code, and the next sign-in succeeds', async () => {
        const { page, complaints } = await person();
        idp('corp').settings.person = { nameId: 'ada', signed: 'none' };
        await depart(page, 'corp');
        const [answer] = await Promise.all([page.waitForResponse(urlOf('/saml/corp/acs')), signIn(page)]);

        expect(answer.status()).toBe(401);
        await page.getByText('SAML_RESPONSE_INVALID').waitFor();
        expect(complaints).toEqual([]);
        idp('corp').settings.person = { nameId: 'ada', authnContextClassRef: MFA_CLASS };
        await depart(page, 'corp');
        await signIn(page);
        expect(await sessionOn(page)).toMatchObject({ amr: ['pwd', 'otp'] });
      });
    });

    describe('HTTP-POST binding', () => {
      it.each([
        ['a script submits the SAML request form', true],
        ['a button submits the SAML request form without scripts', false],
      ])('%s', async (_, javaScriptEnabled) => {
        const { page, complaints } = await person({ javaScriptEnabled });
        await depart(page, 'posting');
        if (!javaScriptEnabled) await page.getByRole('button', { name: 'Continue' }).click();
        await page.waitForURL(idp('posting').ssoUrl);
        await signIn(page);

        expect(idp('posting').authnRequests.at(-1)).toMatchObject({ binding: 'post' });
        expect(await sessionOn(page)).toMatchObject({ amr: ['pwd'] });
        expect(complaints).toEqual([]);
      });

      it('an identity provider may redirect the SAML request form to another origin', async () => {
        const { page, complaints } = await person();
        await depart(page, 'passing');
        await page.waitForURL(idp('passing').ssoUrl);

        expect(complaints).toEqual([]);
      });
    });

    it('a SAML sign-in without MFA requires setup of a local second factor, and later its code', async () => {
      idp('local').settings.person = { nameId: 'bob', authnContextClassRef: PASSWORD_CLASS };
      const { page } = await person();
      await depart(page, 'local');
      await signIn(page);
      expect(new URL(page.url()).pathname).toBe('/2fa/portal/setup');
      await page.getByRole('button', { name: 'Use an authenticator app' }).click();
      // The identity provider may have used an old session, so setup first requires a new login there.
      await page.getByRole('link', { name: 'Sign in again' }).click();
      await signIn(page);
      expect(idp('local').authnRequests.at(-1)).toMatchObject({ isForced: true });
      await page.getByRole('button', { name: 'Use an authenticator app' }).click();
      const app = AuthenticatorApp.typeIn((await page.locator('#secret').textContent()) ?? '');
      await giveCode(page, story.codeOf(app));
      await page.getByRole('button', { name: 'I saved them' }).click();
      expect(await sessionOn(page)).toMatchObject({ amr: ['pwd', 'otp'] });

      const { page: later } = await person();
      await depart(later, 'local');
      await signIn(later);
      expect(new URL(later.url()).pathname).toBe('/2fa/portal/verify');
      await giveCode(later, story.nextCode({ app }));

      expect(await sessionOn(later)).toMatchObject({ amr: ['pwd', 'otp'] });
    });
  });
});

/** Redirects requests to an identity provider with 307, as federations and large providers do. */
async function hubBefore(idp: IdpServer): Promise<Server> {
  const hub = createServer((request, response) => {
    request.resume().once('end', () => {
      response.writeHead(307, { location: idp.ssoUrl }).end();
    });
  });
  await new Promise<void>((resolve) => hub.listen(0, '127.0.0.1', resolve));
  return hub;
}
