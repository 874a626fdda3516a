import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onSqlite } from '../../support/database/story-database.js';
import { PASSWORD, storyOn } from '../../support/login/login-story.js';
import { launchChromium } from '../../support/pages/chromium.js';
import { LOOKS, type Look, PortalBrowser } from '../../support/pages/portal-browser.js';
import { needs } from '../../support/runner/needs.js';

const STRONG = 'nine wet lanterns & 3 harbours';

needs('chromium')('the strength of a new password in a browser', () => {
  onSqlite('on the pages that ask for one', (engine) => {
    const story = storyOn(engine, { people: 10 });
    let browser: Browser;

    beforeAll(async () => {
      browser = await launchChromium();
    });
    afterAll(() => browser.close());

    async function withBrowser(look: Look, run: (user: PortalBrowser) => Promise<void>): Promise<void> {
      const user = await PortalBrowser.open(browser, story.service.url, look);
      try {
        await run(user);
        expect(user.consoleErrors).toEqual([]);
      } finally {
        await user.close();
      }
    }

    /** Types a password and waits until the page says this about it. */
    async function typed(user: PortalBrowser, field: string, password: string, text: string): Promise<number> {
      await user.page.locator(`#${field}`).fill(password);
      await user.page.getByRole('status').getByText(text, { exact: true }).waitFor();
      return user.page.evaluate<number>('document.querySelector("meter").value');
    }

    async function invited(user: PortalBrowser, id: string): Promise<void> {
      const { stdout } = await story.command('users', 'invite', id, '--print-link');
      await user.visit(/(\/portal\/invitation\S+)/.exec(stdout)?.[1] ?? '');
    }

    it.each(LOOKS.filter(({ options }) => options.javaScriptEnabled !== false))(
      'U9: the page of an invitation shows the strength and its reason while the user types on $name',
      (look) =>
        withBrowser(look, async (user) => {
          const { newPassword, passwordMeter } = user.t;
          await invited(user, 'haneul.choi');

          expect(await user.page.locator('meter').isVisible()).toBe(false);
          expect(await typed(user, 'new', 'aaaaaaaa', newPassword.repeated)).toBeLessThan(1);
          expect(await typed(user, 'new', 'haneul.choi1', newPassword.personal)).toBeLessThan(3);
          await user.check('an invitation with a weak password');
          expect(await typed(user, 'new', STRONG, passwordMeter.very_strong)).toBe(4);
          await user.check('an invitation with a strong password');
          await user.page.locator('#new').fill('');
          await user.page.locator('meter').waitFor({ state: 'hidden' });
        }),
    );

    it.each(LOOKS)('U9: a signed-in user learns why a new password is rejected on $name', (look) =>
      withBrowser(look, async (user) => {
        const { id } = story.person();
        await user.visit('/portal/login?return_to=/portal/security/password');
        await user.signIn(id, PASSWORD);
        await user.page.locator('#current').fill(PASSWORD);
        await user.page.locator('#new').fill(`${id}12`);
        await user.page.locator('form:has(#new) button.primary').click();
        await user.page.getByRole('alert').waitFor();

        expect(await user.alert()).toContain(user.t.newPassword.personal);
        await user.check('a rejected password');
      }),
    );
  });
});
