import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { StoryLinks } from '../../support/login/account-links.js';
import { launchChromium } from '../../support/pages/chromium.js';
import { type Enrolled, PASSWORD, type Person, storyOn } from '../../support/login/login-story.js';
import { enterCode } from '../../support/pages/portal-browser.js';
import { needs } from '../../support/runner/needs.js';
import { onSqlite } from '../../support/database/story-database.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const SECURITY = '/portal/security';
const HOSTILE = `"><script>alert(1)</script>'&<img src=x onerror=alert(1)>`;
const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" onload="document.title='run'"><script>document.title='run'</script></svg>`;

// The service is localhost, the attacker is 127.0.0.1: different sites.
needs('chromium')('security of the portal in a browser', () => {
  onSqlite('attacks that only a browser shows', (engine) => {
    const logo = join(temporaryFolder('logo'), 'logo.svg');
    writeFileSync(logo, LOGO);
    const story = storyOn(engine, { people: 40, args: [`--app.branding.logo=${logo}`] });
    const links = new StoryLinks(story);
    let browser: Browser;
    let attacker: Server;
    let attack = '';

    beforeAll(async () => {
      browser = await launchChromium();
      attacker = createServer((_, response) => response.setHeader('content-type', 'text/html').end(attack));
      attacker.listen(0, '127.0.0.1');
      await once(attacker, 'listening');
    });

    afterAll(async () => {
      await browser.close();
      attacker.close();
    });

    function urlOf(path: string): string {
      return `${story.service.url.replace('127.0.0.1', 'localhost')}${path}`;
    }

    async function openAttack(page: Page, content: string): Promise<void> {
      attack = `<!doctype html><title>attack</title>${content}`;
      await page.goto(`http://127.0.0.1:${(attacker.address() as AddressInfo).port}/`);
    }

    async function signIn(context: BrowserContext, { id, password }: Person): Promise<Page> {
      const page = await context.newPage();
      await page.goto(urlOf('/portal/login'));
      await page.locator('#id').fill(id);
      await page.locator('#pw').fill(password);
      await page.locator('form button.primary').click();
      await page.waitForURL((url) => url.pathname !== '/portal/login');
      return page;
    }

    async function signInWithBoth(context: BrowserContext, person: Enrolled): Promise<Page> {
      const page = await signIn(context, person);
      await enterCode(page, story.nextCode(person));
      await page.waitForURL(urlOf('/'));
      return page;
    }

    async function isSignedIn(context: BrowserContext): Promise<boolean> {
      return (await context.request.get(urlOf('/session'))).status() === 200;
    }

    it.each(['/', SECURITY, '/portal/login', '/nowhere'])('H9: another site cannot frame %s', async (path) => {
      const context = await browser.newContext();
      const page = await signIn(context, story.person());
      const refusals: string[] = [];
      page.on('console', (message) => refusals.push(message.text()));

      await openAttack(page, `<iframe src="${urlOf(path)}"></iframe>`);

      await waitUntil('the browser refuses the frame', () => refusals.find((text) => text.includes('frame-ancestors')));
      expect(await page.frames()[1]?.locator('main').count()).toBe(0);
      await context.close();
    });

    it.each([
      ['/portal/logout', ''],
      [`${SECURITY}/end-session`, ''],
      [`${SECURITY}/language`, '<input name="language" value="ko">'],
      [
        `${SECURITY}/password`,
        `<input name="current" value="${PASSWORD}"><input name="new" value="nine wet lanterns & 3">`,
      ],
      ['/portal/login', `<input name="id" value="person-1"><input name="pw" value="${PASSWORD}">`],
    ])('S5: a form of another site for %s is refused and ends nothing', async (path, fields) => {
      const context = await browser.newContext();
      const page = await signIn(context, story.person());
      const [before] = (await context.cookies()).filter(({ name }) => name === 'SESSION');

      await openAttack(
        page,
        `<form method="post" action="${urlOf(path)}"><input name="csrf" value="x">${fields}</form>`,
      );
      const [response] = await Promise.all([
        page.waitForResponse((each) => each.request().method() === 'POST'),
        page.evaluate('document.forms[0].submit()'),
      ]);

      expect([401, 403]).toContain(response.status());
      expect((await context.cookies()).find(({ name }) => name === 'SESSION')?.value).toBe(before?.value);
      expect(await isSignedIn(context)).toBe(true);
      await context.close();
    });

    it.each(['home', 'security', 'codes'])(
      'A10: after sign-out, "Back" does not show the %s page again',
      async (kind) => {
        const person = await story.enrolled();
        const context = await browser.newContext();
        const page = await signInWithBoth(context, person);
        let shown = person.id;
        if (kind !== 'home') await page.goto(urlOf(SECURITY));
        if (kind === 'security') shown = 'panel';
        if (kind === 'codes') {
          await page.goto(urlOf(`${SECURITY}/backup-codes`));
          await page.locator('main form button.primary').click();
          shown = (await page.locator('#backup-codes li').first().textContent()) ?? '-';
          await page.goto(urlOf('/'));
        }
        await page.locator('header form button').click();
        await page.waitForURL('**/portal/login');

        for (let step = 0; step < 3; step += 1) {
          // The page of a sent form is not kept, so Chromium shows that it would have to send the form again.
          await page.goBack().catch(() => undefined);
          await page.waitForLoadState();
          expect(await page.locator('body').innerText()).not.toContain(shown);
          expect(await page.locator('#backup-codes').count()).toBe(0);
        }
        await context.close();
      },
    );

    it('H3: a hostile login id and user agent run nothing on any page', async () => {
      const person = await story.enrolled();
      const id = HOSTILE.toLowerCase();
      await story.database.query('UPDATE account SET login_id = ? WHERE login_id = ?', [id, person.id]);
      const context = await browser.newContext({ userAgent: HOSTILE });
      const consoleErrors: string[] = [];
      context.on('console', (message) => consoleErrors.push(message.text()));
      context.on('dialog', (dialog) => {
        consoleErrors.push('dialog');
        void dialog.dismiss();
      });
      const page = await signInWithBoth(context, { ...person, id });

      for (const path of ['/', SECURITY, `${SECURITY}/activity`, `${SECURITY}/password`]) {
        await page.goto(urlOf(path));
        expect(await page.locator('img[src="x"], main script').count()).toBe(0);
      }
      await page.goto(urlOf(`${SECURITY}/backup-codes`));
      await page.locator('main form button.primary').click();
      expect(await page.locator('#backup-codes').getAttribute('data-text')).toContain(id);

      expect(consoleErrors).toEqual([]);
      await context.close();
    });

    it('H3: a logo with a script that is opened as a document runs nothing', async () => {
      const page = await browser.newPage();
      await page.goto(urlOf('/portal/login'));
      const source = (await page.locator('.brand img').getAttribute('src')) ?? '';
      expect(source).toMatch(/logo-.*\.svg$/);

      await page.goto(urlOf(source));

      expect(await page.title()).not.toBe('run');
      await page.close();
    });

    it('S9: no request of the page of a link carries its token, but for the page in another language and its form', async () => {
      const token = await links.token(story.person(), 'not-me');
      const page = await browser.newPage();
      const carriers: string[] = [];
      page.on('request', (request) => {
        const { referer = '' } = request.headers();
        if (referer.includes(token)) carriers.push(request.url());
      });

      for (const path of ['/portal/not-me', '/portal/reset', '/portal/not-me/']) {
        await page.goto(urlOf(`${path}?token=${token}`));
        await page.locator('footer a[hreflang]').click();
        await page.waitForURL('**lang=*');
        await page.locator('.brand').click();
        await page.waitForURL('**/portal/login');
      }

      expect(carriers).toEqual([]);
      await page.close();
    });
  });
});
