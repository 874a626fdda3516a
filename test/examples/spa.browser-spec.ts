import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Browser, Page } from 'playwright-core';
import { build, preview, type PreviewServer } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApi } from '../../examples/nestjs-api/src/api.js';
import { onSqlite } from '../support/database/story-database.js';
import { exampleFile } from '../support/examples/example-program.js';
import { storyInTurns } from '../support/examples/story-in-turns.js';
import type { Enrolled, Person } from '../support/login/login-story.js';
import { launchChromium } from '../support/pages/chromium.js';
import { freePort } from '../support/programs/free-port.js';
import { temporaryFolder } from '../support/programs/temporary-folder.js';
import { enterCode } from '../support/pages/portal-browser.js';
import { needs } from '../support/runner/needs.js';

const [servicePort, apiPort, port] = [await freePort(), await freePort(), await freePort()];
const ISSUER = `http://localhost:${servicePort}`;
const API = `http://localhost:${apiPort}`;
const ORIGIN = `http://localhost:${port}`;

needs('chromium')('examples/spa', () => {
  onSqlite('with examples/nestjs-api', (engine) => {
    const story = storyInTurns(engine, servicePort, [
      '--app.security.clients.example-spa.public=true',
      `--app.security.clients.example-spa.redirect-uris=${ORIGIN}/`,
      `--app.security.clients.example-spa.post-logout-redirect-uris=${ORIGIN}/`,
      '--app.security.clients.example-spa.audience=example-api',
    ]);
    let api: NestFastifyApplication;
    let site: PreviewServer;
    let browser: Browser;
    beforeAll(async () => {
      api = await createApi({ issuer: ISSUER, audience: 'example-api', origin: ORIGIN });
      await api.listen(apiPort, '127.0.0.1');
      const settings = { VITE_ISSUER: ISSUER, VITE_API: API };
      const define = Object.fromEntries(
        Object.entries(settings).map(([name, value]) => [`import.meta.env.${name}`, JSON.stringify(value)]),
      );
      const [root, outDir] = [exampleFile('spa'), temporaryFolder('spa')];
      const shared = { root, configFile: false as const, logLevel: 'warn' as const };
      await build({ ...shared, define, build: { outDir, emptyOutDir: false, target: 'es2022' } });
      site = await preview({ ...shared, build: { outDir }, preview: { port, strictPort: true, host: 'localhost' } });
      browser = await launchChromium();
    });
    afterAll(async () => {
      await browser.close();
      await site.close();
      await api.close();
    });

    const visit = async (): Promise<Page> => {
      const page = await (await browser.newContext()).newPage();
      await page.goto(ORIGIN);
      return page;
    };
    const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
    const enterPassword = async (page: Page, { id, password }: Person): Promise<void> => {
      await page.locator('#id').fill(id);
      await page.locator('#pw').fill(password);
      await press(page, 'Sign in');
    };
    const enterNextCode = (page: Page, person: Enrolled): Promise<void> => enterCode(page, story.nextCode(person));
    const shows = async (page: Page, text: string): Promise<void> => {
      await page.getByText(text).waitFor();
    };
    const signIn = async (page: Page, person: Person): Promise<void> => {
      await press(page, 'Sign in');
      await enterPassword(page, person);
    };

    it('a user signs in, reads from the API, renews the tokens, and signs out', async () => {
      const person = story.person();
      const page = await visit();

      await signIn(page, person);
      await shows(page, `Signed in as ${person.id}`);
      await press(page, 'Balance');
      await shows(page, '"balance":100');
      await press(page, 'Renew');
      await shows(page, 'Renewed');
      await press(page, 'Balance');
      await shows(page, '"balance":100');
      await press(page, 'Sign out');
      await shows(page, 'Signed out');
      await press(page, 'Sign in');

      await page.locator('#pw').waitFor();
      expect(new URL(page.url()).origin).toBe(ISSUER);
    });

    it('a payment that needs a fresh code leads to the sign-in, and is repeated after it', async () => {
      story.clock.back(330);
      const person = await story.enrolled();
      const page = await visit();
      await signIn(page, person);
      await enterNextCode(page, person);
      await shows(page, `Signed in as ${person.id}`);
      story.clock.advance(330);

      await press(page, 'Pay');
      await enterPassword(page, person);
      await enterNextCode(page, person);

      await shows(page, '"paid":true');
      await expect.poll(() => page.url()).toBe(`${ORIGIN}/`);
    });

    it('a payment of a user without a second factor ends with an explanation, and not in a loop', async () => {
      const page = await visit();
      await signIn(page, story.person());
      await shows(page, 'Signed in as');

      await press(page, 'Pay');

      await shows(page, 'Please set up an authenticator app.');
      await expect.poll(() => page.url()).toBe(`${ORIGIN}/`);
    });
  });
});
