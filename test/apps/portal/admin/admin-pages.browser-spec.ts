import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UserAct } from '../../../../src/apps/portal/admin/user-acts.js';
import { StoryLinks, tokenIn } from '../../../support/login/account-links.js';
import { Administrator } from '../../../support/login/administrator.js';
import { launchChromium } from '../../../support/pages/chromium.js';
import { type Enrolled, PASSWORD, storyOn } from '../../../support/login/login-story.js';
import { needs } from '../../../support/runner/needs.js';
import { LOOKS, PHONE, PortalBrowser } from '../../../support/pages/portal-browser.js';
import { onSqlite } from '../../../support/database/story-database.js';

/** Each story opens and checks up to ten pages. */
const MANY_CHECKS_MILLIS = 180_000;
/** Longest wait for a step. */
const STEP_MILLIS = 30_000;
/** Screens of a phone that a page about a user fills at most. */
const MAX_SCREENS = 2.2;
const CHOSEN = 'nine wet lanterns & 3 harbours';
const OTHERS = Object.fromEntries(
  LOOKS.flatMap((_, index) => [
    [`boss-${index}`, 'ROLE_ADMIN'],
    [`desk-${index}`, 'ROLE_HELPDESK'],
  ]),
);

needs('chromium')('administration and mailed links in a browser', () => {
  onSqlite('every page in every look', (engine) => {
    const story = storyOn(engine, {
      people: 80,
      others: OTHERS,
      // No relay answers there; these stories need no mail to arrive.
      args: [
        ...['--app.mail.host=127.0.0.1', '--app.mail.port=1', '--app.security.mfa.trusted-device.enabled=true'],
        '--app.security.clients.shop.public=true',
        `--app.security.clients.shop.redirect-uris=https://shop.example.com/${'long/'.repeat(30)}cb`,
      ],
    });
    const links = new StoryLinks(story);
    /** Administrators and members of the help desk who have a second factor. */
    const staff = new Map<string, Enrolled>();
    let browser: Browser;

    beforeAll(async () => {
      browser = await launchChromium();
    });

    afterAll(() => browser.close());

    describe.each(LOOKS.map((look, index) => ({ name: look.name, look, index })))(
      '$name',
      { timeout: MANY_CHECKS_MILLIS },
      ({ look, index }) => {
        let user: PortalBrowser;

        beforeAll(async () => {
          user = await PortalBrowser.open(browser, story.service.url, look);
          user.context.setDefaultTimeout(STEP_MILLIS);
        });

        afterAll(() => user.close());

        async function signInAs(id: string): Promise<void> {
          const person = staff.get(id) ?? (await Administrator.of(story, id)).person;
          staff.set(id, person);
          await user.visit('/portal/login');
          await user.signIn(id, PASSWORD);
          await user.enterCode(story.nextCode(person));
          expect(await user.heading()).toBe(user.t.home.title(id));
          await user.press(user.t.common.administration);
          expect(await user.heading()).toBe(user.t.admin.overviewPage.title);
          await user.check('overview');
          await user.press(user.t.admin.users);
          expect(await user.heading()).toBe(user.t.admin.users);
        }

        /** Sends the form of an act that succeeds. */
        async function perform(act: UserAct, reason = ''): Promise<void> {
          await user.page.locator(`main a[href$="/${act}"]`).click();
          if (reason !== '') await user.page.locator('#reason').fill(reason);
          await user.page.locator(`form[action$="/${act}"] button`).click();
        }

        async function told(): Promise<string | null> {
          return user.page.getByRole('status').textContent();
        }

        it(`on ${look.name}, an administrator creates, finds and changes a user`, async () => {
          const { t, page } = user;
          const person = await story.enrolled();
          await story.signIn(person, undefined, { trust_device: true });
          await story.lock(person);
          await signInAs(`boss-${index}`);
          await user.check('list of users');

          await user.press(t.admin.newUser);
          await user.check('page for a new user');
          await page.locator('#id').fill(`new-${index}`);
          await page.getByLabel(t.admin.byTemporaryPassword).check();
          await user.press(t.admin.create);
          expect(await page.locator('main').textContent()).toContain(t.admin.temporaryText(`new-${index}`));
          await user.check('page with a temporary password');

          await user.visit('/portal/admin/users');
          await page.getByLabel(t.admin.search).fill(person.id);
          await user.press(t.admin.find);
          await user.check('list of found users');
          await user.page.getByRole('link', { name: person.id, exact: true }).click();
          expect(await user.heading()).toBe(person.id);
          await user.check('page about a locked user');

          await perform('unlock');
          expect(await told()).toContain(t.admin.userDone.unlocked);

          await user.press(t.admin.acts.roles.label);
          await page.locator('#reason').fill('new post');
          await page.locator('#roles').fill('no role');
          await page.locator('form[action$="/roles"] button').click();
          expect(await user.alert()).toContain(t.admin.problems['roles']);
          await user.check('page of the roles after wrong ones');
          await page.locator('#roles').fill('ROLE_MANAGEMENT');
          await page.locator('form[action$="/roles"] button').click();
          expect(await told()).toContain(t.admin.userDone.changed);
          await user.press(t.admin.acts.change.label);
          await user.check('page with the mail address of a user');
          await page.locator('form[action$="/change"] button').click();
          expect(await told()).toContain(t.admin.userDone.changed);

          await perform('reset', 'lost phone');
          expect(await told()).toContain(t.admin.userDone.reset);
          await user.check('page about a user without second factor');
          await perform('disable', 'left');
          expect(await told()).toContain(t.admin.userDone.disabled);
          await perform('enable');
          expect(await told()).toContain(t.admin.userDone.enabled);
          await user.press(t.admin.acts.delete.label);
          await user.check('page to delete a user');
          await page.locator('#reason').fill('left');
          await page.locator('form[action$="/delete"] button').click();
          expect(await told()).toContain(t.admin.done.deleted(person.id));
          await user.press(t.common.signOut);
        });

        it(`on ${look.name}, the pages about a user are short, and one ends the sessions`, async () => {
          const { t, page } = user;
          const person = await story.enrolled();
          await story.signIn(person, undefined, { trust_device: true });
          await signInAs(`boss-${index}`);
          await user.visit(`/portal/admin/users/${await story.subjectOf(person)}`);

          for (const name of [t.admin.overview, t.admin.access, t.admin.activity]) {
            await page.locator('main').getByRole('link', { name, exact: true }).click();
            await user.check(`page about a user: ${name}`);
            const height = await page.evaluate<number>('document.documentElement.scrollHeight');
            expect(height, name).toBeLessThan(MAX_SCREENS * PHONE.height);
          }
          await user.press(t.admin.access);
          await page.locator('form[action$="/end-device"] button').click();
          expect(await told()).toContain(t.admin.userDone.device);
          await user.press(t.admin.endAll);
          expect(await told()).toContain(t.admin.userDone.sessions);
          await user.check('page about a user without sessions');
          await user.press(t.common.signOut);
        });

        it(`on ${look.name}, an administrator imports users after a preview, and filters events`, async () => {
          const { t, page } = user;
          const rows = `login_id,password,email\nrow-${index},${CHOSEN},a@harbour.example\nother-${index},x,\n`;
          const choose = (): Promise<void> =>
            page
              .locator('input[type=file]')
              .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(rows) });
          await signInAs(`boss-${index}`);
          await user.visit('/portal/admin/import');
          await user.check('import page');

          await choose();
          await user.press(t.admin.preview);
          await page.getByText(t.admin.previewed(1, 1)).waitFor();
          expect(await page.locator('#result').textContent()).toContain(`row-${index}`);
          await user.check('preview of an import');
          // With script, the file stays chosen.
          const next = user.target(t.admin.importUsersWithout(1));
          expect(await next.isVisible()).toBe(user.hasScript);
          expect(await page.getByText(t.admin.chooseAgain).isVisible()).toBe(!user.hasScript);
          expect(new URL(page.url()).search).toBe(user.hasScript ? '' : '?mode=preview');
          if (user.hasScript) await next.click();
          else {
            await choose();
            await user.press(t.admin.importValid);
          }
          expect(await page.locator('main').textContent()).toContain(t.admin.imported(1, 1));
          await user.check('report of an import');

          await user.visit('/portal/admin/events');
          await user.check('events page');
          await page.getByLabel(t.admin.kind).selectOption('USER_CREATED');
          await page.locator('#user').fill(`new-${index}`);
          await user.press(t.admin.filter);
          expect(await page.locator('tbody tr').count()).toBe(1);
          await user.check('filtered events');
          const exported = page.getByRole('link', { name: t.admin.exportCsv });
          const [download] = await Promise.all([page.waitForEvent('download'), exported.click()]);
          expect(download.suggestedFilename()).toMatch(/\.csv$/);
          await user.press(t.common.signOut);
        });

        it(`on ${look.name}, an administrator reads the list of applications`, async () => {
          await signInAs(`boss-${index}`);
          await user.press(user.t.admin.clients);
          expect(await user.heading()).toBe(user.t.admin.clients);
          await user.check('page of applications');
          await user.press(user.t.common.signOut);
        });

        const withScript = look.options.javaScriptEnabled === false ? [] : [look.name];
        it.each(withScript)(
          'on %s, another file removes a preview, and without a session it leads to the sign-in page',
          async () => {
            const { t, page } = user;
            await signInAs(`boss-${index}`);
            await user.visit('/portal/admin/import');
            const users = {
              name: 'people.csv',
              mimeType: 'text/csv',
              buffer: Buffer.from(`login_id\nlate-${index}\n`),
            };
            const choose = (): Promise<void> => page.locator('input[type=file]').setInputFiles(users);
            await choose();
            await user.press(t.admin.preview);
            await page.getByRole('status').waitFor();
            await choose();
            await page.getByRole('status').waitFor({ state: 'detached' });
            await user.context.clearCookies({ name: 'SESSION' });
            await user.press(t.admin.preview);
            await page.getByRole('alert').waitFor();
            expect(await user.heading()).toBe(t.problem.titleSignIn);
            await user.press(t.common.signIn);
            expect(new URL(page.url()).searchParams.get('return_to')).toBe('/portal/admin/import');
          },
        );

        it(`on ${look.name}, the help desk removes an authenticator and resets the second factor of a user`, async () => {
          const { t, page } = user;
          const person = await story.enrolled();
          await story.addApp(await story.signIn(person), 'Old phone');
          await signInAs(`desk-${index}`);
          await user.check('list of users for the help desk');
          await user.visit(`/portal/admin/users/${await story.subjectOf(person)}`);
          await user.check('page about a user for the help desk');

          await page.locator('main a[href*="/remove-authenticator?"]').first().click();
          expect(await user.heading()).toBe(t.admin.acts['remove-authenticator'].title(person.id));
          await user.check('page to remove an authenticator for the help desk');
          await page.locator('#reason').fill('lost phone');
          await page.locator('#ticket').fill('HD-16');
          await page.locator('form[action$="/remove-authenticator"] button').click();
          expect(await told()).toContain(t.admin.userDone.removed);

          await user.press(t.admin.acts.reset.label);
          await user.check('page to reset a second factor for the help desk');
          await page.locator('#reason').fill('lost phone');
          await page.locator('#ticket').fill('HD-17');
          await page.locator('form[action$="/reset"] button').click();
          expect(await told()).toContain(t.admin.userDone.reset);

          await user.visit(`/portal/admin/users/${await story.subjectOf({ id: `boss-${index}` })}`);
          expect(await page.locator('main').textContent()).toContain(t.admin.protectedAccount);
          await user.check('page about an administrator for the help desk');
          await user.visit('/portal/admin/events');
          expect(await user.heading()).toBe(t.problem.titleDenied);
          await user.check('page without permission');
          await user.visit('/');
          await user.press(t.common.signOut);
        });

        it(`on ${look.name}, mailed links lead back into an account`, async () => {
          const { t, page } = user;
          const person = await story.enrolled();
          const open = async (kind: 'password-reset' | 'unlock' | 'not-me', path: string): Promise<void> => {
            await user.visit(`/portal/${path}?token=${await links.token(person, kind)}`);
          };
          await user.visit('/portal/login');
          await user.press(t.signIn.forgot);
          await user.check('page for a forgotten password');
          await page.locator('#id').fill(person.id);
          await page.locator('main form button[type=submit]').click();
          await user.check('page after the request for a link');

          await open('password-reset', 'reset');
          await user.check('page of a reset link');
          await page.locator('#new').fill('qwertyuiop');
          await user.press(t.links.reset.submit);
          await user.check('page of a reset link after a common password');
          await page.locator('#new').fill(CHOSEN);
          await user.press(t.links.reset.submit);
          await user.page.getByText(t.links.reset.done).waitFor();
          await user.check('page after a reset');

          await story.lock({ ...person, password: CHOSEN });
          await open('unlock', 'unlock');
          await user.check('page of a link to unlock');
          await user.press(t.links.unlock.submit);
          await user.page.getByText(t.links.unlock.done).waitFor();

          await open('not-me', 'not-me');
          await user.check('page of a link against misuse');
          await user.press(t.links.notMe.submit);
          await user.page.getByText(t.links.notMe.done).waitFor();
          await user.check('page after a report');

          const { stdout } = await story.command('users', 'invite', `invited-${index}`, '--print-link');
          await user.visit(`/portal/invitation?token=${tokenIn(stdout)}`);
          await user.check('page of an invitation');
          await page.locator('#new').fill(CHOSEN);
          await user.press(t.links.invitation.submit);
          await user.page.getByText(t.links.invitation.done).waitFor();
          await user.visit(`/portal/invitation?token=${tokenIn(stdout)}`);
          expect(await user.heading()).toBe(t.linkInvalid.title);
          await user.check('page of a used link');
        });
      },
    );
  });
});
