import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchChromium } from '../../support/pages/chromium.js';
import { IdpServer } from '../../support/saml/identity-provider-server.js';
import { PASSWORD, storyOn } from '../../support/login/login-story.js';
import { needs } from '../../support/runner/needs.js';
import { LOOKS, PortalBrowser } from '../../support/pages/portal-browser.js';
import { MFA_CLASS, PASSWORD_CLASS } from '../../support/saml/staff-story.js';
import { onSqlite } from '../../support/database/story-database.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';

/** Each story opens and checks several pages. */
const MANY_CHECKS_MILLIS = 180_000;
const ORGANISATION = 'Harbour Works';
const DAYS = 7;
/** An hour more than that many days, which users are told. */
const POLICY_FROM = new Date(Date.now() + DAYS * 86_400_000 + 3_600_000);

needs('chromium')('pages of staff, and of users before policy holds, in a browser', () => {
  onSqlite('every page in every look', (engine) => {
    const folder = temporaryFolder('idp');
    let idp: IdpServer;
    let browser: Browser;

    // Runs before the story, which reads the metadata file.
    beforeAll(async () => {
      idp = await IdpServer.start({ now: () => story.clock.millis });
      writeFileSync(join(folder, 'corp.xml'), idp.metadata);
      browser = await launchChromium();
    });

    const story = storyOn(engine, {
      people: LOOKS.length,
      args: [
        `--app.security.saml.idp.corp.metadata=file:${join(folder, 'corp.xml')}`,
        `--app.security.saml.idp.corp.display-name=${ORGANISATION}`,
        '--app.security.mfa.policy=required',
        `--app.security.mfa.policy-from=${POLICY_FROM.toISOString()}`,
        // No relay answers there; the pages show where mails go.
        ...['--app.mail.host=127.0.0.1', '--app.mail.port=1'],
      ],
    });

    afterAll(async () => {
      await browser.close();
      await idp.stop();
    });

    describe.each(LOOKS.map((look, index) => ({ name: look.name, look, index })))(
      '$name',
      { timeout: MANY_CHECKS_MILLIS },
      ({ look, index }) => {
        let user: PortalBrowser;

        beforeAll(async () => {
          user = await PortalBrowser.open(browser, story.service.url, look);
        });

        beforeEach(() => user.context.clearCookies());

        afterAll(() => user.close());

        /** Signs in at the identity provider with this authentication context class. */
        async function signInAtIdp(authnContextClassRef: string): Promise<void> {
          idp.settings.person = { nameId: `staff-${index}`, authnContextClassRef };
          await user.visit('/portal/login');
          await user.press(user.t.signIn.with(ORGANISATION));
          await user.page.getByRole('button', { name: 'Sign in' }).click();
        }

        it(`on ${look.name}, staff sign in through their organisation, with and without its second factor`, async () => {
          const { t, page } = user;
          await user.visit('/portal/login');
          await user.check('sign-in page with an identity provider');

          await signInAtIdp(PASSWORD_CLASS);
          expect(await user.heading()).toBe(t.home.title(`corp:staff-${index}`));
          await page.getByText(t.home.through(ORGANISATION), { exact: true }).waitFor();
          await user.check('home page of staff without a second factor');
          await user.press(t.common.signOut);
          expect(await user.heading()).toBe(t.signIn.title);

          await signInAtIdp(MFA_CLASS);
          await page.getByText(t.home.throughMfa(ORGANISATION), { exact: true }).waitFor();
          await user.check('home page of staff with a second factor');

          for (const path of ['', '/password', '/activity']) {
            await user.visit(`/portal/security${path}`);
            await user.check(`/portal/security${path} of staff`);
          }
          await user.visit('/portal/security');
          expect(await page.locator('main').textContent()).toContain(t.account.atOrganisation(ORGANISATION));
          expect(await page.locator('main').textContent()).toContain(t.passwordChange.staff);
          expect(await page.locator('main').textContent()).toContain(t.account.noAddress);
        });

        it(`on ${look.name}, a response of the identity provider that is not accepted is a page with a way back`, async () => {
          const { t } = user;
          idp.settings.person = { nameId: `staff-${index}`, signed: 'none' };
          await user.visit('/portal/login');
          await user.press(t.signIn.with(ORGANISATION));
          await user.page.getByRole('button', { name: 'Sign in' }).click();
          expect(await user.alert()).toContain(t.errors.SAML_RESPONSE_INVALID);
          await user.check('page of a rejected SAML response');
        });

        it(`on ${look.name}, a user without a second factor sees from when policy demands one`, async () => {
          const { t, page } = user;
          const { id } = story.person();
          await user.visit('/portal/login');
          await user.signIn(id, PASSWORD);

          expect(await user.heading()).toBe(t.home.title(id));
          const told = page.locator('.note', { hasText: t.home.policyFrom(DAYS) });
          expect(await told.count()).toBe(1);
          const instant = await told.locator('time').getAttribute('datetime');
          expect(Date.parse(instant ?? '')).toBe(Math.ceil(POLICY_FROM.getTime() / 1000) * 1000);
          await user.check('home page before policy holds');

          const address = `person-${index}@harbour.example`;
          await story.database.query('UPDATE account SET email = ? WHERE login_id = ?', [address, id]);
          await user.visit('/portal/security');
          expect(await page.locator('main').textContent()).toContain(`${t.account.mailedTo}: ${address}`);
          await user.check('/portal/security without a second factor');
          await user.visit('/');

          await told.getByRole('link', { name: t.home.setUp }).click();
          expect(await user.heading()).toBe(t.setup.titleChoice);
          await user.check('setup page that policy asks for');
        });
      },
    );
  });
});
