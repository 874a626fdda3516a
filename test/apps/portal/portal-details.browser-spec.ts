import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuthenticatorApp } from '../../support/login/authenticator-app.js';
import { launchChromium } from '../../support/pages/chromium.js';
import { PASSWORD, storyOn } from '../../support/login/login-story.js';
import { needs } from '../../support/runner/needs.js';
import { ALL_LOOKS, DESKTOP, type Look, PHONE, PortalBrowser } from '../../support/pages/portal-browser.js';
import { startService } from '../../support/programs/service.js';
import { onSqlite } from '../../support/database/story-database.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const HANDHELD: Look = {
  name: 'a phone',
  options: { viewport: PHONE, isMobile: true, hasTouch: true, locale: 'en-US' },
  language: 'en',
};
const DESK: Look = { name: 'a desktop', options: { viewport: DESKTOP, locale: 'en-US' }, language: 'en' };
const WITHOUT_SCRIPT: Look = {
  name: 'a phone without script',
  options: { viewport: PHONE, locale: 'en-GB', javaScriptEnabled: false },
  language: 'en',
};
const BOSSES = ['reload', 'tab', 'tab-two', 'paste', 'copy', 'other'];

needs('chromium')('details of pages in a browser', () => {
  onSqlite('on a phone and on a desktop', (engine) => {
    const story = storyOn(engine, {
      people: 10,
      others: Object.fromEntries(BOSSES.map((id) => [id, 'ROLE_ADMIN'])),
    });
    let browser: Browser;

    beforeAll(async () => {
      browser = await launchChromium();
    });

    afterAll(() => browser.close());

    /** Runs a story in a browser of its own. */
    async function withBrowser(look: Look, run: (user: PortalBrowser) => Promise<void>): Promise<void> {
      const user = await PortalBrowser.open(browser, story.service.url, look);
      try {
        await run(user);
        expect(user.consoleErrors).toEqual([]);
      } finally {
        await user.close();
      }
    }

    /** Signs in a user who must enrol, and begins the setup. */
    async function atSecret(user: PortalBrowser, id: string): Promise<AuthenticatorApp> {
      await user.visit('/portal/login?return_to=/portal/security');
      await user.signIn(id, PASSWORD);
      await user.press(user.t.setup.useApp);
      return user.scan();
    }

    describe('an interrupted enrolment', () => {
      it('a reload keeps the secret, so that the app that has it already can confirm', () =>
        withBrowser(DESK, async (user) => {
          const app = await atSecret(user, 'reload');

          await user.page.reload();

          expect((await user.scan()).secret).toBe(app.secret);
          await user.enterCode(story.codeOf(app));
          expect(await user.heading()).toBe(user.t.codes.title);
        }));

      it.each([
        ['tab', DESK],
        ['tab-two', WITHOUT_SCRIPT],
      ])('a discarded tab keeps the secret, and the sign-in page continues it (%s)', (id, look) =>
        withBrowser(look, async (user) => {
          const app = await atSecret(user, id);

          await user.openTab();
          await user.visit('/portal/login?return_to=/portal/security');
          expect(await user.page.getByText(user.t.signIn.unfinished(id)).count()).toBe(1);
          await user.press(user.t.signIn.finish);

          expect((await user.scan()).secret).toBe(app.secret);
          await user.enterCode(story.codeOf(app));
          await user.press(user.t.codes.saved);
          expect(user.page.url()).toBe(user.urlOf('/portal/security'));
        }),
      );
    });

    describe('the field for a code', () => {
      it('offers one-time codes and the keyboard for numbers, and sends a pasted code with a space by itself', () =>
        withBrowser(DESK, async (user) => {
          await user.context.grantPermissions(['clipboard-read', 'clipboard-write']);
          const app = await atSecret(user, 'paste');
          const field = user.page.locator('#code');

          expect(await field.getAttribute('autocomplete')).toBe('one-time-code');
          expect(await field.getAttribute('inputmode')).toBe('numeric');
          const code = story.codeOf(app).replace(/^.../, '$& ');
          await user.page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(code)})`);
          await field.focus();
          await user.page.keyboard.press('Control+V');
          await user.page.getByRole('heading', { name: user.t.codes.title }).waitFor();
        }));
    });

    describe('copies', () => {
      it('the key and the backup codes can be copied, and the codes downloaded', () =>
        withBrowser(HANDHELD, async (user) => {
          await user.context.grantPermissions(['clipboard-read', 'clipboard-write']);
          const copied = (): Promise<string> => user.page.evaluate<string>('navigator.clipboard.readText()');
          const app = await atSecret(user, 'copy');
          const link = (await user.target(user.t.setup.openApp).getAttribute('href')) ?? '';
          await user.page.locator('summary').click();
          await user.press(user.t.setup.copyKey);
          await user.target(user.t.common.copied).waitFor();
          const key = await copied();
          await user.enterCode(story.codeOf(app));
          const codes = await user.backupCodes();
          await user.press(user.t.common.copy);
          await user.target(user.t.common.copied).waitFor();
          const [download] = await Promise.all([user.page.waitForEvent('download'), user.press(user.t.codes.download)]);

          expect(AuthenticatorApp.scan(link).secret).toBe(app.secret);
          expect(key).toBe(app.secret);
          const text = await copied();
          for (const code of codes) expect(text).toContain(code);
          expect(download.suggestedFilename()).toBe(user.t.codes.fileName);
        }));
    });

    describe('the keyboard alone', () => {
      it.each(ALL_LOOKS.slice(1, 3))('signs in, enters a code and signs out on $name', (look) =>
        withBrowser(look, async (user) => {
          const person = await story.enrolled();
          const { keyboard } = user.page;
          const focused = (field: string): Promise<unknown> => user.page.locator(`${field}:focus`).waitFor();
          await user.visit('/portal/login');

          // The first field of a page gets the focus when the page is shown.
          await focused('#id');
          await keyboard.type(person.id);
          await keyboard.press('Tab');
          await keyboard.type(PASSWORD);
          await keyboard.press('Enter');
          await user.page.getByRole('heading', { name: user.t.verify.title }).waitFor();
          await focused('#code');
          await keyboard.type(story.nextCode(person));
          await keyboard.press('Enter');
          await user.page.getByRole('heading', { name: user.t.home.title(person.id) }).waitFor();
          for (let tabs = 0; tabs < 20 && !(await user.target(user.t.common.signOut).evaluate(IS_FOCUSED)); tabs += 1) {
            await keyboard.press('Tab');
          }
          await keyboard.press('Enter');
          await user.page.getByRole('heading', { name: user.t.signIn.title }).waitFor();

          expect(await user.page.context().cookies()).not.toContainEqual(expect.objectContaining({ name: 'SESSION' }));
        }),
      );

      it('the first Tab on a page of signed-in users offers to skip to the content', () =>
        withBrowser(DESK, async (user) => {
          await user.visit('/portal/login');
          const { id } = story.person();
          await user.signIn(id, PASSWORD);
          await user.page.getByRole('heading', { name: user.t.home.title(id) }).waitFor();

          await user.page.keyboard.press('Tab');

          const skip = user.page.getByRole('link', { name: user.t.common.skip });
          expect(await skip.evaluate(IS_FOCUSED)).toBe(true);
          expect((await skip.boundingBox())?.x).toBeGreaterThanOrEqual(0);
        }));
    });

    describe('alerts', () => {
      it.each([DESK, WITHOUT_SCRIPT])('the alert about a wrong password has the focus on $name', (look) =>
        withBrowser(look, async (user) => {
          await user.visit('/portal/login');
          await user.signIn('nobody', 'not the one');

          // The browser moves the focus when it shows the page.
          const focused = user.page.locator('[role=alert]:focus');
          expect(await focused.textContent()).toContain(user.t.errors.INVALID_CREDENTIALS);
        }),
      );
    });

    describe('the password field', () => {
      it('can be shown and hidden again', () =>
        withBrowser(DESK, async (user) => {
          await user.visit('/portal/login');
          const field = user.page.locator('#pw');
          const types = [await field.getAttribute('type')];

          await user.press(user.t.common.show);
          types.push(await field.getAttribute('type'));
          await user.press(user.t.common.hide);
          types.push(await field.getAttribute('type'));

          expect(types).toEqual(['password', 'text', 'password']);
        }));
    });

    describe('a lock', () => {
      it('is counted down, and then offers another attempt', () =>
        withBrowser(DESK, async (user) => {
          const person = await story.enrolled();
          await user.visit('/portal/login');
          await user.signIn(person.id, PASSWORD);
          await user.page.clock.install();
          for (let variant = 0; variant < 5; variant += 1) await user.enterCode(story.wrongCode(person, variant));
          const count = user.page.locator('.count');
          expect(await count.textContent()).toMatch(/^[45]:\d\d$/);
          expect(await user.target(user.t.lock.retry).isVisible()).toBe(false);

          await user.page.clock.fastForward('04:00');
          expect(await count.textContent()).toMatch(/^[01]:\d\d$/);
          await user.page.clock.fastForward('02:00');
          expect(await count.textContent()).toBe('0:00');
          story.clock.advance(600);
          await user.press(user.t.lock.retry);

          expect(await user.heading()).toBe(user.t.signIn.title);
        }));
    });

    describe('the language', () => {
      it('can be changed at the end of a page, and stays for the next pages and visits', () =>
        withBrowser(DESK, async (user) => {
          const { id } = story.person();
          await user.visit('/portal/login?return_to=/portal/security');
          await user.page.getByRole('link', { name: '한국어' }).click();
          expect(await user.heading()).toBe('로그인');
          await user.page.locator('#id').fill(id);
          await user.page.locator('#pw').fill(PASSWORD);
          await user.page.getByRole('button', { name: '로그인' }).click();

          expect(user.page.url()).toBe(user.urlOf('/portal/security'));
          expect(await user.heading()).toBe('계정 보안');
          await user.openTab();
          await user.visit('/');
          expect(await user.page.locator('html').getAttribute('lang')).toBe('ko');
        }));
    });
  });

  it('the first user of an empty database enrols with the printed password', async () => {
    const service = await startService({ isAlone: true });
    const browser = await launchChromium();
    try {
      const password = await waitUntil(
        'the first user is printed',
        () => /First user: admin with password (\S+)/.exec(service.stdout)?.[1],
      );
      const user = await PortalBrowser.open(browser, service.url, DESK);
      await user.visit('/');
      await user.signIn('admin', password);
      await user.press(user.t.setup.useApp);
      const app = await user.scan();
      await user.enterCode(app.codeAt(Math.floor(Date.now() / 1000)));
      await user.press(user.t.codes.saved);

      expect(await user.heading()).toBe(user.t.home.title('admin'));
      expect(user.consoleErrors).toEqual([]);
    } finally {
      await browser.close();
      await service.stop();
    }
  });
});

const IS_FOCUSED = (element: unknown): boolean => (element as { matches(selector: string): boolean }).matches(':focus');
