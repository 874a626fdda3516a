import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuthenticatorApp } from '../../support/login/authenticator-app.js';
import { launchChromium } from '../../support/pages/chromium.js';
import { type Enrolled, PASSWORD, storyOn } from '../../support/login/login-story.js';
import { settled } from '../../support/pages/portal-browser.js';
import { needs } from '../../support/runner/needs.js';
import { onSqlite } from '../../support/database/story-database.js';

const CONTEXT = '/auth';
const PHONE = { width: 360, height: 740 };

needs('chromium')('portal pages', () => {
  onSqlite('browser without scripts', (engine) => {
    const story = storyOn(engine, {
      people: 5,
      others: { boss: 'ROLE_ADMIN' },
      args: [`--server.servlet.context-path=${CONTEXT}`],
    });
    let browser: Browser;

    beforeAll(async () => {
      browser = await launchChromium();
    });

    afterAll(() => browser.close());

    /** The service under the name for which browsers keep Secure cookies without https. */
    function urlOf(path: string): string {
      return `${story.service.url.replace('127.0.0.1', 'localhost')}${path}`;
    }

    async function open(path: string): Promise<{ page: Page; consoleErrors: readonly string[] }> {
      const page = await browser.newPage({ javaScriptEnabled: false, viewport: PHONE });
      const consoleErrors: string[] = [];
      page.on('console', (message) => consoleErrors.push(message.text()));
      await page.goto(urlOf(path));
      return { page, consoleErrors };
    }

    async function signIn(page: Page, id: string, password: string): Promise<void> {
      await page.getByLabel('Username').fill(id);
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await settled(page);
    }

    async function giveCode(page: Page, code: string, label = 'Continue'): Promise<void> {
      await page.getByLabel('Code').fill(code);
      await page.getByRole('button', { name: label }).click();
      await settled(page);
    }

    /** Console messages without those about expected error statuses and the missing favicon. */
    function breaches(consoleErrors: readonly string[]): readonly string[] {
      return consoleErrors.filter((text) => !text.startsWith('Failed to load resource'));
    }

    describe('sign-in pages', () => {
      let person: Enrolled;

      beforeAll(async () => {
        person = await story.enrolled();
      });

      it('the portal pages sign in a user with an authenticator app after a wrong password and a wrong code', async () => {
        const { page, consoleErrors } = await open('/portal/login?return_to=%2Fauth%2Fme%2Fsettlement');

        await signIn(page, person.id, 'not the one');
        expect(await page.getByRole('alert').textContent()).toContain('Wrong username or password.');
        expect(await page.getByLabel('Username').inputValue()).toBe(person.id);
        await signIn(page, person.id, person.password);
        expect(new URL(page.url()).pathname).toBe(`${CONTEXT}/2fa/portal/verify`);
        await giveCode(page, story.wrongCode(person));
        expect(await page.getByRole('alert').textContent()).toContain('This code is wrong or was already used.');
        await giveCode(page, story.nextCode(person));

        expect(page.url()).toBe(urlOf('/me/settlement'));
        expect(await page.textContent('body')).not.toContain('problem');
        const cookies = await page.context().cookies();
        expect(cookies.find(({ name }) => name === 'SESSION')).toMatchObject({ httpOnly: true, sameSite: 'Lax' });
        expect(breaches(consoleErrors)).toEqual([]);
      });

      it('the sign-in page is no wider than the screen of a phone', async () => {
        const page = await browser.newPage({ viewport: PHONE });
        await page.goto(urlOf('/portal/login'));

        expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(PHONE.width);
        expect(await page.title()).toBe('Sign in - Login service');
      });

      it('a user can sign in with the keyboard alone', async () => {
        const { page } = await open('/portal/login');

        // The first field of each page gets the focus when the page is shown.
        await page.locator('#id:focus').waitFor();
        await page.keyboard.type(person.id);
        await page.keyboard.press('Tab');
        await page.keyboard.type(PASSWORD);
        await page.keyboard.press('Enter');
        await page.waitForURL('**/2fa/portal/verify**');
        await page.locator('#code:focus').waitFor();
        await page.keyboard.type(story.nextCode(person));
        await page.keyboard.press('Enter');
        await page.waitForURL(urlOf('/'));

        expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(`Hello, ${person.id}`);
      });
    });

    it('the portal pages set up an authenticator app with a QR code if policy requires a second factor', async () => {
      const { page, consoleErrors } = await open('/portal/login');
      await signIn(page, 'boss', PASSWORD);
      expect(new URL(page.url()).pathname).toBe(`${CONTEXT}/2fa/portal/setup`);
      await page.getByRole('button', { name: 'Use an authenticator app' }).click();

      const picture = await page.getByRole('img', { name: 'QR code' }).boundingBox();
      const secret = (await page.locator('#secret').textContent()) ?? '';
      expect(picture).toMatchObject({ width: 240, height: 240 });
      await giveCode(page, story.codeOf(AuthenticatorApp.typeIn(secret)), 'Confirm');
      const saved = page.getByRole('button', { name: 'I saved them' });
      await saved.waitFor();
      expect(await page.getByRole('list', { name: 'Backup codes' }).getByRole('listitem').count()).toBe(10);
      await saved.click();

      expect(page.url()).toBe(urlOf('/'));
      await page.goto(urlOf('/session'));
      expect(JSON.parse((await page.textContent('body')) ?? '')).toMatchObject({ amr: ['pwd', 'otp'] });
      expect(breaches(consoleErrors)).toEqual([]);
    });

    it('S5: the sign-in form is rejected if another site sends it', async () => {
      const { page } = await open('/portal/login');
      const csrf = (await page.locator('input[name=csrf]').getAttribute('value')) ?? '';
      const action = urlOf('/portal/login');
      // 127.0.0.1 and localhost are different sites.
      const html = `<form method="post" action="${action}"><input name="csrf" value="${csrf}"><input name="id" value="boss"><input name="pw" value="${PASSWORD}"><button>Win</button></form>`;
      await page.route('http://127.0.0.1/**', (route) => route.fulfill({ contentType: 'text/html', body: html }));
      await page.goto('http://127.0.0.1/');
      const [answer] = await Promise.all([page.waitForResponse(action), page.getByRole('button').click()]);

      expect(answer.status()).toBe(403);
      await page.getByText('CROSS_SITE').waitFor();
      const names = (await page.context().cookies()).map(({ name }) => name);
      expect(names).not.toContain('SESSION');
    });
  });
});
