import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificate } from '../../support/http/certificates.js';
import { launchChromium } from '../../support/pages/chromium.js';
import { IdpServer } from '../../support/saml/identity-provider-server.js';
import { PASSWORD, storyOn } from '../../support/login/login-story.js';
import { enterCode } from '../../support/pages/portal-browser.js';
import { needs } from '../../support/runner/needs.js';
import { MFA_CLASS } from '../../support/saml/staff-story.js';
import { onSqlite } from '../../support/database/story-database.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';

/** Names of the identity providers, and the bindings of their endpoints. */
const IDPS = { corp: ['redirect'], posting: ['post'] } as const;
type Name = keyof typeof IDPS;
const NAMES = Object.keys(IDPS) as Name[];
const own = makeCertificate({ key: 'rsa' });

// The service is localhost, the identity providers are 127.0.0.1: different sites.
needs('chromium')('sign-out on the home page', () => {
  onSqlite('identity providers on another site', (engine) => {
    const folder = temporaryFolder('idp');
    const servers = new Map<Name, IdpServer>();
    let browser: Browser;

    beforeAll(async () => {
      for (const name of NAMES) {
        const server = await IdpServer.start({
          now: () => story.clock.millis,
          person: { nameId: 'ada', authnContextClassRef: MFA_CLASS },
          metadata: { bindings: IDPS[name] },
          serviceCertificate: own.pem,
        });
        servers.set(name, server);
        writeFileSync(metadataFile(name), server.metadata);
      }
      browser = await launchChromium();
    });

    const story = storyOn(engine, {
      people: 3,
      args: [
        `--app.ssl.bundle.pem.sp.keystore.certificate=file:${own.certificate}`,
        `--app.ssl.bundle.pem.sp.keystore.private-key=file:${own.key}`,
        ...NAMES.flatMap((name) => [
          `--app.security.saml.idp.${name}.metadata=file:${metadataFile(name)}`,
          `--app.security.saml.idp.${name}.bundle=sp`,
        ]),
      ],
    });

    afterAll(async () => {
      await browser.close();
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

    function urlOf(path: string): string {
      return `${story.service.url.replace('127.0.0.1', 'localhost')}${path}`;
    }

    async function open(javaScriptEnabled = true): Promise<{ page: Page; consoleErrors: readonly string[] }> {
      const context = await browser.newContext({ javaScriptEnabled });
      const page = await context.newPage();
      const consoleErrors: string[] = [];
      page.on('console', (message) => {
        if (!message.text().startsWith('Failed to load resource')) consoleErrors.push(message.text());
      });
      return { page, consoleErrors };
    }

    async function signInAt(page: Page, name: Name): Promise<void> {
      await page.goto(urlOf('/portal/login'));
      await page.getByRole('link', { name }).click();
      await page.waitForURL(idp(name).ssoUrl + '*');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.waitForURL(urlOf('/'));
    }

    async function signIn(page: Page, id: string): Promise<void> {
      await page.getByLabel('Username').fill(id);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
    }

    describe('S5: sign-out', () => {
      it.each([
        ['corp', true],
        ['corp', false],
        ['posting', true],
      ] as const)(
        'S5: the home page signs out a user at the service and at identity provider %s (script: %s)',
        async (name, script) => {
          const { page, consoleErrors } = await open(script);
          await signInAt(page, name);
          const facts = await page.getByRole('main').textContent();
          expect(facts).toContain(`Hello, ${name}:ada`);
          expect(facts).toContain(`Through ${name}, with a second factor`);

          await page.getByRole('button', { name: 'Sign out' }).click();
          await page.getByText('Signed out', { exact: true }).waitFor();

          expect(page.url().startsWith(idp(name).sloUrl)).toBe(true);
          expect(idp(name).logoutRequests.at(-1)).toMatchObject({ isVerified: true, nameId: 'ada' });
          expect(consoleErrors).toEqual([]);
          await page.goto(urlOf('/'));
          await page.waitForURL(urlOf('/portal/login'));
        },
      );

      it('S5: the home page signs out a user with a password, and Back shows no page of the session', async () => {
        const { page, consoleErrors } = await open();
        const { id } = story.person();
        await page.goto(urlOf('/portal/login'));
        await signIn(page, id);
        expect(await page.getByRole('main').textContent()).toContain(`Hello, ${id}`);

        await page.getByRole('button', { name: 'Sign out' }).click();
        await page.waitForURL(urlOf('/portal/login'));
        await page.goBack();

        await page.waitForURL(urlOf('/portal/login'));
        expect(consoleErrors).toEqual([]);
      });
    });

    describe('S5: Back during a session', () => {
      it('S5: Back to the sign-in page leads a signed-in user to the home page', async () => {
        const { page } = await open();
        await page.goto(urlOf('/portal/login'));
        await signIn(page, story.person().id);
        await page.waitForURL(urlOf('/'));

        await page.goBack();

        await page.waitForURL(urlOf('/'));
        expect(await page.getByRole('button', { name: 'Sign out' }).count()).toBe(1);
      });

      it('S5: Back to the second step leads a signed-in user to the home page', async () => {
        const person = await story.enrolled();
        const { page } = await open();
        await page.goto(urlOf('/portal/login'));
        await signIn(page, person.id);
        await enterCode(page, story.nextCode(person));
        await page.waitForURL(urlOf('/'));

        await page.goBack();

        await page.waitForURL(urlOf('/'));
        expect(await page.getByRole('button', { name: 'Sign out' }).count()).toBe(1);
      });

      it('S5: a repeated SAML response is rejected and leads a signed-in user to the home page', async () => {
        const { page } = await open();
        await signInAt(page, 'corp');

        await page.goBack();
        await page.waitForURL(`${idp('corp').ssoUrl}*`);
        const [refused] = await Promise.all([
          page.waitForResponse(urlOf('/saml/corp/acs')),
          page.getByRole('button', { name: 'Sign in' }).click(),
        ]);
        await page.waitForURL(urlOf('/'));

        expect(refused.status()).toBe(401);
        expect(await page.getByRole('main').textContent()).toContain('Hello, corp:ada');
      });
    });
  });
});
