import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onSqlite } from '../../support/database/story-database.js';
import { PASSWORD, storyOn } from '../../support/login/login-story.js';
import { launchChromium } from '../../support/pages/chromium.js';
import { LOOKS, PortalBrowser } from '../../support/pages/portal-browser.js';
import { needs } from '../../support/runner/needs.js';

const CONTEXT = '/auth';
const MANY_CHECKS_MILLIS = 120_000;

needs('chromium')('the history of a browser', () => {
  onSqlite('forms and the back button', (engine) => {
    const story = storyOn(engine, {
      people: 6,
      others: { boss: 'ROLE_ADMIN' },
      args: [`--server.servlet.context-path=${CONTEXT}`],
    });
    let browser: Browser;

    beforeAll(async () => {
      browser = await launchChromium();
    });

    afterAll(() => browser.close());

    /** Goes back to the first page, and returns the addresses on the way; a browser shows an error in place of a form. */
    async function allTheWayBack({ page }: PortalBrowser): Promise<readonly string[]> {
      const addresses: string[] = [];
      for (let response = await back(); response; response = await back()) addresses.push(page.url());
      return addresses;

      async function back(): Promise<unknown> {
        try {
          const response = await page.goBack({ timeout: 5000 });
          await page.waitForLoadState();
          return response;
        } catch (error) {
          // Chromium shows "Confirm Form Resubmission" as an error page.
          addresses.push(String(error));
          return undefined;
        }
      }
    }

    describe.each(LOOKS.map((look) => ({ name: look.name, look })))(
      '$name',
      { timeout: MANY_CHECKS_MILLIS },
      ({ look }) => {
        it(`U1: on ${look.name}, Back after a typo in the password and in the code never sends a form again`, async () => {
          const person = await story.enrolled();
          const user = await PortalBrowser.open(browser, story.service.url, look);
          await user.visit('/portal/login?return_to=%2Fauth%2Fportal%2Fsecurity');
          await user.signIn(person.id, 'not the one');
          expect(await user.alert()).toContain(user.t.errors.INVALID_CREDENTIALS);
          expect(await user.page.locator('#id').inputValue()).toBe(person.id);
          await user.check('sign-in page after a wrong password');
          await user.signIn(person.id, PASSWORD);
          await user.enterCode(story.wrongCode(person));
          expect(await user.alert()).toContain(user.t.errors.MFA_CODE_INVALID);
          await user.check('code page after a wrong code');
          await user.enterCode(story.nextCode(person));
          expect(await user.heading()).toBe(user.t.account.title);

          const addresses = await allTheWayBack(user);

          expect(addresses.filter((address) => !address.startsWith(user.urlOf('/')))).toEqual([]);
          await user.close();
        });

        it(`U1: on ${look.name}, a reload after a typo shows the same error and the typed username`, async () => {
          const user = await PortalBrowser.open(browser, story.service.url, look);
          await user.visit('/portal/login');
          await user.signIn('<b>Nobody"</b>', 'not the one');

          await user.page.reload();

          expect(await user.alert()).toContain(user.t.errors.INVALID_CREDENTIALS);
          expect(await user.page.locator('#id').inputValue()).toBe('<b>Nobody"</b>');
          await user.check('sign-in page after a reload');
          await user.close();
        });

        it(`U2: on ${look.name}, another language after a typo keeps return_to, the error and the typed username`, async () => {
          const user = await PortalBrowser.open(browser, story.service.url, look);
          await user.visit('/portal/login?return_to=%2Fauth%2Fportal%2Fsecurity');
          await user.signIn('nobody', 'not the one');

          const other = user.t.tag === 'en' ? 'ko' : 'en';
          await user.page.locator(`footer a[hreflang^=${other}]`).click();
          await user.page.waitForLoadState();

          expect(await user.page.locator('html').getAttribute('lang')).toBe(other);
          expect(await user.page.getByRole('alert').count()).toBe(1);
          expect(await user.page.locator('#id').inputValue()).toBe('nobody');
          expect(await user.page.locator('input[name=return_to]').first().inputValue()).toBe('/auth/portal/security');
          await user.close();
        });
      },
    );

    // Without script, only a stored answer could take the place of the codes.
    it('U1: Back after the setup of an app never sends a form again', { timeout: MANY_CHECKS_MILLIS }, async () => {
      const [look] = LOOKS;
      if (!look) throw new Error('there is no look');
      const user = await PortalBrowser.open(browser, story.service.url, look);
      await user.visit('/portal/login');
      await user.signIn('boss', PASSWORD);
      await user.press(user.t.setup.useApp);
      const app = await user.scan();
      await user.enterCode(story.codeOf(app));
      expect(await user.heading()).toBe(user.t.codes.title);
      await user.press(user.t.codes.saved);

      const addresses = await allTheWayBack(user);

      expect(addresses.filter((address) => !address.startsWith(user.urlOf('/')))).toEqual([]);
      expect(addresses.some((address) => address.startsWith(user.urlOf('/2fa/portal/setup')))).toBe(true);
      await user.close();
    });
  });
});
