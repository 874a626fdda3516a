import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuthenticatorApp } from '../../support/login/authenticator-app.js';
import { launchChromium } from '../../support/pages/chromium.js';
import { PASSWORD, storyOn } from '../../support/login/login-story.js';
import { needs } from '../../support/runner/needs.js';
import { LOOKS, PortalBrowser } from '../../support/pages/portal-browser.js';
import { onSqlite } from '../../support/database/story-database.js';

const CONTEXT = '/auth';
/** Each story opens and checks up to ten pages. */
const MANY_CHECKS_MILLIS = 180_000;
const OTHERS = Object.fromEntries(LOOKS.map((_, index) => [`member-${index}`, 'ROLE_ADMIN']));

needs('chromium')('pages in a browser', () => {
  onSqlite('every page in every look', (engine) => {
    const story = storyOn(engine, {
      people: 10,
      others: OTHERS,
      args: [
        `--server.servlet.context-path=${CONTEXT}`,
        '--app.security.mfa.trusted-device.enabled=true',
        '--app.branding.help-contact=+82 2 123 4567',
      ],
    });
    let browser: Browser;

    beforeAll(async () => {
      browser = await launchChromium();
    });

    afterAll(() => browser.close());

    describe.each(LOOKS.map((look, index) => ({ name: look.name, look, id: `member-${index}` })))(
      '$name',
      { timeout: MANY_CHECKS_MILLIS },
      ({ look, id }) => {
        let user: PortalBrowser;
        let app: AuthenticatorApp;
        let codes: readonly string[];

        beforeAll(async () => {
          user = await PortalBrowser.open(browser, story.service.url, look);
        });

        afterAll(() => user.close());

        /** The next code of the app, as a person types it. */
        function nextCode(): string {
          story.clock.nextStep();
          return story.codeOf(app).replace(/^.../, '$& ');
        }

        it(`on ${look.name}, a new user enrols with the QR code after a wrong password and a wrong code`, async () => {
          const { t } = user;
          await user.visit('/');
          expect(await user.heading()).toBe(t.signIn.title);
          await user.check('sign-in page');

          await user.signIn(id, 'not the one');
          expect(await user.alert()).toContain(t.errors.INVALID_CREDENTIALS);
          await user.check('sign-in page after a wrong password');

          await user.signIn(id, PASSWORD);
          expect(await user.heading()).toBe(t.setup.titleChoice);
          await user.check('setup page');

          await user.press(t.setup.useApp);
          expect(await user.heading()).toBe(t.setup.titleScan);
          app = await user.scan();
          await user.check('page with the secret');
          await user.page.locator('summary').click();
          expect(await user.typedSecret()).toBe(app.secret);
          await user.check('page with the secret for typing');

          await user.enterCode(app.wrongCodeAt(story.clock.seconds));
          expect(await user.alert()).toContain(t.setup.wrongCode);
          await user.check('page with the secret after a wrong code');

          await user.enterCode(nextCode());
          expect(await user.heading()).toBe(t.codes.title);
          codes = await user.backupCodes();
          expect(codes).toHaveLength(10);
          await user.check('page with the backup codes');

          await user.press(t.codes.saved);
          expect(await user.heading()).toBe(t.home.title(id));
          await user.check('home page');
        });

        it(`on ${look.name}, a user looks after the account`, async () => {
          const { t } = user;
          for (const path of ['', '/password', '/backup-codes', '/replace', '/turn-off', '/activity']) {
            await user.visit(`/portal/security${path}`);
            await user.check(`/portal/security${path}`);
          }
          await user.visit('/portal/security/backup-codes');
          await user.page.locator('main form button[type=submit]').click();
          codes = await user.backupCodes();
          expect(codes).toHaveLength(10);
          await user.check('page with new backup codes');
          await user.press(t.codes.saved);
          expect(await user.heading()).toBe(t.account.title);
        });

        it(`on ${look.name}, a user signs out and in again, with the app and with a backup code`, async () => {
          const { t } = user;
          await user.press(t.common.signOut);
          expect(await user.heading()).toBe(t.signIn.title);

          await user.signIn(id, PASSWORD);
          expect(await user.heading()).toBe(t.verify.title);
          await user.check('page for a code');
          await user.visit('/');
          expect(await user.heading()).toBe(t.home.halfTitle);
          await user.check('home page of an unfinished sign-in');
          await user.visit('/portal/login');
          await user.check('sign-in page of an unfinished sign-in');
          await user.press(t.signIn.finish);
          await user.enterCode(nextCode());
          expect(await user.heading()).toBe(t.home.title(id));

          await user.press(t.common.signOut);
          await user.signIn(id, PASSWORD);
          await user.press(t.verify.backupCode);
          await user.check('page for a backup code');
          await user.enterCode('0000-0000');
          expect(await user.alert()).toContain(t.verify.wrongBackupCode);
          await user.enterCode((codes[0] ?? '').toLowerCase().replace('-', ' '));
          expect(await user.heading()).toBe(t.home.title(id));
          expect(await user.page.getByText(t.home.withBackupCode).count()).toBe(1);
        });

        it(`on ${look.name}, errors are pages`, async () => {
          const { t } = user;
          await user.visit('/nowhere');
          expect(await user.heading()).toBe(t.problem.titleNotFound);
          await user.check('page for an unknown address');
          await user.press(t.problem.toHome);
          expect(await user.heading()).toBe(t.home.title(id));
        });

        it(`on ${look.name}, a locked user sees how long to wait`, async () => {
          const { t } = user;
          await user.press(t.common.signOut);
          await user.signIn(id, PASSWORD);
          for (let variant = 0; variant < 5; variant += 1) {
            await user.enterCode(app.wrongCodeAt(story.clock.seconds, variant));
          }
          expect(await user.heading()).toBe(t.lock.title);
          await user.check('page of a lock');
          expect(await user.page.locator('.count').isVisible()).toBe(user.hasScript);
          expect(await user.target(t.lock.retry).isVisible()).toBe(!user.hasScript);
          story.clock.advance(3600);
        });
      },
    );
  });
});
