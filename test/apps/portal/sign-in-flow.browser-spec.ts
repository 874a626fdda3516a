import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onSqlite } from '../../support/database/story-database.js';
import { type Enrolled, PASSWORD, storyOn } from '../../support/login/login-story.js';
import { launchChromium } from '../../support/pages/chromium.js';
import { ALL_LOOKS, LOOKS, type Look, PortalBrowser, problemsOf, settled } from '../../support/pages/portal-browser.js';
import { needs } from '../../support/runner/needs.js';

const CONTEXT = '/auth';
const MANY_CHECKS_MILLIS = 120_000;
const SECURITY = '/portal/security';
const RETURN_TO = `?return_to=${encodeURIComponent(CONTEXT + SECURITY)}`;
const WITH_SCRIPT = ALL_LOOKS.slice(0, 2);

needs('chromium')('the flow of a sign-in in a browser', () => {
  onSqlite('pages and codes', (engine) => {
    const story = storyOn(engine, {
      people: 24,
      args: [`--server.servlet.context-path=${CONTEXT}`],
    });
    let browser: Browser;

    beforeAll(async () => {
      browser = await launchChromium();
    });

    afterAll(() => browser.close());

    async function withBrowser(look: Look, run: (user: PortalBrowser) => Promise<void>): Promise<void> {
      const user = await PortalBrowser.open(browser, story.service.url, look);
      try {
        await run(user);
      } finally {
        await user.close();
      }
    }

    async function toVerify(user: PortalBrowser, person: Enrolled): Promise<void> {
      await user.visit(`/portal/login${RETURN_TO}`);
      await user.signIn(person.id, PASSWORD);
      expect(await user.heading()).toBe(user.t.verify.title);
    }

    function countForms(page: Page): () => number {
      let forms = 0;
      page.on('request', (request) => {
        if (request.method() === 'POST') forms += 1;
      });
      return () => forms;
    }

    describe.each(LOOKS.map((look) => ({ name: look.name, look })))(
      '$name',
      { timeout: MANY_CHECKS_MILLIS },
      ({ look }) => {
        it(`U5: on ${look.name}, a wrong and a malformed code leave the focus to the field, which refers to the error`, () =>
          withBrowser(look, async (user) => {
            const person = await story.enrolled();
            await toVerify(user, person);
            for (const code of ['12 34', story.wrongCode(person)]) {
              await user.enterCode(code);
              const field = user.page.locator('#code:focus');
              await field.waitFor();
              expect(await field.getAttribute('aria-invalid')).toBe('true');
              const [alert = ''] = ((await field.getAttribute('aria-describedby')) ?? '').split(' ');
              expect(await user.page.locator(`#${alert}`).getAttribute('role')).toBe('alert');
              await user.check(`code page after ${code}`);
            }
            for (let variant = 1; variant < 4; variant += 1) await user.enterCode(story.wrongCode(person, variant));
            expect(await user.page.getByText(user.t.verify.lastAttempt).count()).toBe(1);
            await user.check('code page before the last attempt');
          }));

        it(`U2: on ${look.name}, a browser that drops cookies is told so and keeps the username and the target`, () =>
          withBrowser(look, async (user) => {
            const person = await story.enrolled();
            await user.visit(`/portal/login${RETURN_TO}`);
            await user.context.clearCookies();
            await user.signIn(person.id, PASSWORD);

            expect(await user.alert()).toContain(user.t.lostForm.needsCookies);
            expect(await user.page.locator('#id').inputValue()).toBe(person.id);
            await user.check('sign-in page without cookies');
            await user.signIn(person.id, PASSWORD);
            await user.enterCode(story.nextCode(person));
            expect(await user.heading()).toBe(user.t.account.title);
          }));

        it(`U4: on ${look.name}, a page leads to the second step, and the second step back to the page`, () =>
          withBrowser(look, async (user) => {
            const person = await story.enrolled();
            await toVerify(user, person);

            await user.visit(SECURITY);
            await settled(user.page);
            expect(await user.heading()).toBe(user.t.verify.title);
            expect(await user.page.getByText(person.id, { exact: true }).count()).toBe(1);
            await user.enterCode(story.nextCode(person));

            expect(await user.heading()).toBe(user.t.account.title);
          }));
      },
    );

    describe.each(WITH_SCRIPT.map((look) => ({ name: look.name, look })))('$name', ({ look }) => {
      it(`U5: on ${look.name}, six digits are sent by themselves, once, and not while they are composed`, () =>
        withBrowser(look, async (user) => {
          const person = await story.enrolled();
          await toVerify(user, person);
          const { page } = user;
          const forms = countForms(page);
          const code = story.nextCode(person);
          await page.locator('#code').focus();
          const input = (text: string, isComposing: boolean): Promise<unknown> =>
            page.evaluate(
              `{ const field = document.getElementById('code'); field.value = '${text}'; field.dispatchEvent(new InputEvent('input', { isComposing: ${isComposing} })); }`,
            );

          await input(code.slice(0, 5), false);
          await input(code, true);
          expect(forms()).toBe(0);
          await page.evaluate(
            "for (const type of ['compositionend', 'input']) document.getElementById('code').dispatchEvent(new Event(type))",
          );
          await user.reach(user.t.account.title);

          expect(forms()).toBe(1);
        }));

      it(`U5: on ${look.name}, a backup code waits for its button, and a code for a press of Enter is sent once`, () =>
        withBrowser(look, async (user) => {
          const person = await story.enrolled();
          await toVerify(user, person);
          const forms = countForms(user.page);
          await user.press(user.t.verify.backupCode);
          await user.page.locator('#code').pressSequentially('123456');
          expect(await user.page.locator('[data-sends]').count()).toBe(0);
          expect(forms()).toBe(0);
          await user.press(user.t.verify.totp);
          await user.page.locator('#code').pressSequentially(story.nextCode(person));
          await user.page.keyboard.press('Enter');
          await user.reach(user.t.account.title);

          expect(forms()).toBe(1);
        }));
    });
  });

  onSqlite('the host of an application', (engine) => {
    const story = storyOn(engine, {
      args: [
        '--app.security.public-url=https://login.example.com',
        '--app.security.forward-auth.rules.wiki.url=https://wiki.example.com',
      ],
    });

    it('the error page at the host of an application loads nothing, and axe finds nothing', async () => {
      const browser = await launchChromium();
      for (const colorScheme of ['light', 'dark'] as const) {
        const context = await browser.newContext({ colorScheme, locale: 'ko-KR', bypassCSP: true });
        const page = await context.newPage();
        const requests: string[] = [];
        page.on('request', (request) => requests.push(request.url()));
        await page.goto(`${story.service.url}/forward-auth/callback?code=a`);

        expect(requests).toHaveLength(1);
        expect(await page.locator('html').getAttribute('lang')).toBe('ko');
        // axe takes the dark background of the browser for white.
        const problems = colorScheme === 'light' ? await problemsOf(page) : [];
        expect(problems).toEqual([]);
        await context.close();
      }
      await browser.close();
    });
  });
});
