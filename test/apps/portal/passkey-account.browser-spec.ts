import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium } from '../../support/pages/chromium.js';
import { type Enrolled, PASSWORD, storyOn } from '../../support/login/login-story.js';
import { needs } from '../../support/runner/needs.js';
import { DESKTOP, type Look, LOOKS, PHONE, PortalBrowser } from '../../support/pages/portal-browser.js';
import { onSqlite } from '../../support/database/story-database.js';
import { VirtualAuthenticator } from '../../support/passkey/virtual-authenticator.js';

const SECURITY = '/portal/security';
const CONTEXT = '/auth';
const DESK: Look = { name: 'a desktop', options: { viewport: DESKTOP, locale: 'en-US' }, language: 'en' };
const WITH_SCRIPT = LOOKS.filter(({ options }) => options.javaScriptEnabled !== false);
const WITHOUT_SCRIPT: Look = {
  name: 'a phone without script',
  options: { viewport: PHONE, isMobile: true, hasTouch: true, locale: 'en-US', javaScriptEnabled: false },
  language: 'en',
};
/** After this time, no proof is fresh any more. */
const STALE_SECONDS = 600;
const CHOSEN = 'nine wet lanterns & 3 harbours';
const SYNCED = { transport: 'internal', hasResidentKey: true, hasUserVerification: true, isSynced: true } as const;
/** Each story opens and checks several pages. */
const MANY_CHECKS_MILLIS = 180_000;

needs('chromium')('passkeys on the page of the account', () => {
  onSqlite('with virtual authenticators', (engine) => {
    const story = storyOn(engine, { people: 30, args: [`--server.servlet.context-path=${CONTEXT}`] });
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

    /** Waits for the overview that tells what was done. */
    async function reachDone(user: PortalBrowser, done: keyof PortalBrowser['t']['account']['done']): Promise<void> {
      await user.page.getByRole('status').getByText(user.t.account.done[done]).waitFor();
    }

    /** Signs in a user with an authenticator app, and opens the page of the account. */
    async function signIn(user: PortalBrowser, person: Enrolled): Promise<void> {
      await user.visit(`/portal/login?return_to=${CONTEXT}${SECURITY}`);
      await user.signIn(person.id, PASSWORD);
      await user.enterCode(story.nextCode(person));
      await user.reach(user.t.account.title);
    }

    /** Adds a passkey from the page of the account. */
    async function addPasskey(user: PortalBrowser, name: string): Promise<void> {
      const { t, page } = user;
      await user.press(t.account.addPasskey);
      await user.reach(t.account.addPasskey);
      await page.locator('#name').fill(name);
      await user.press(t.account.addPasskey);
      await reachDone(user, 'passkey');
    }

    /** The item of the list that has this text. */
    function item(user: PortalBrowser, text: string): Locator {
      return user.page.locator('section[aria-labelledby=second-factor] li', { hasText: text });
    }

    /** Sends the code of a form as its user does who presses Enter. */
    async function typeCode(user: PortalBrowser, code: string): Promise<void> {
      await user.page.locator('#code').fill(code);
      await user.page.keyboard.press('Enter');
    }

    describe.each(WITH_SCRIPT.map((look) => ({ name: look.name, look })))(
      'on $name',
      { timeout: MANY_CHECKS_MILLIS },
      ({ look }) => {
        it(`on ${look.name}, a user adds a passkey, confirms changes with it, and renames and removes authenticators`, () =>
          withBrowser(look, async (user) => {
            const { t, page } = user;
            await VirtualAuthenticator.addTo(page, SYNCED);
            const person = await story.enrolled();
            await signIn(user, person);
            await user.check('page of the account with an app');

            await user.press(t.account.addPasskey);
            await user.reach(t.account.addPasskey);
            await user.check('page to add a passkey');
            await page.locator('#name').fill('Blue key');
            await user.press(t.account.addPasskey);
            await reachDone(user, 'passkey');
            expect(await item(user, 'Blue key').textContent()).toContain(t.account.synced);
            await user.check('page of the account with a passkey');

            story.clock.advance(STALE_SECONDS);
            await user.press(t.authenticators.renameTitle('Blue key'));
            await user.reach(t.authenticators.renameTitle('Blue key'));
            expect(await page.locator('#code').isVisible()).toBe(false);
            await user.check('page to rename a passkey');
            await page.locator('#name').fill('Red key');
            await user.press(t.account.provePasskey);
            await reachDone(user, 'renamed');
            expect(await item(user, 'Blue key').count()).toBe(0);
            expect(await item(user, 'Red key').textContent()).toContain(t.account.lastUsed);

            story.clock.advance(STALE_SECONDS);
            await user.press(t.authenticators.removeTitle(t.account.types.totp));
            await user.reach(t.authenticators.removeTitle(t.account.types.totp));
            await page.getByText(t.verify.useCode).click();
            await user.check('page to remove an app');
            await typeCode(user, story.wrongCode(person));
            await page.getByText(t.errors.MFA_CODE_INVALID).waitFor();
            expect(await page.locator('#code').isVisible()).toBe(true);
            await user.check('page to remove an app after a wrong code');
            await typeCode(user, story.nextCode(person));
            await reachDone(user, 'removed');
            expect(await item(user, '').count()).toBe(1);

            expect(await user.target(t.authenticators.removeTitle('Red key')).count()).toBe(0);
            expect(await item(user, 'Red key').textContent()).toContain(t.account.kept.only);
            await user.check('page of the account with one authenticator');
            await user.press(t.account.turnOff);
            await user.reach(t.turnOff.title);
            await user.press(t.account.provePasskey);
            await reachDone(user, 'off');
            await user.check('page of the account without a second factor');
            expect(await story.countOf(person, 'MFA_FAILED')).toBe(1);
            expect(await story.countOf(person, 'MFA_DISABLED')).toBe(1);
          }));

        it(`on ${look.name}, a user adds a further authenticator app and removes the first one`, () =>
          withBrowser(look, async (user) => {
            const { t, page } = user;
            const person = await story.enrolled();
            await signIn(user, person);

            await user.press(t.account.addApp);
            await user.reach(t.account.addApp);
            await user.check('page to add an app');
            await page.locator('#name').fill('Work phone');
            await user.press(t.common.continue);
            await user.reach(t.setup.titleScan);
            const app = await user.scan();
            await user.check('page with the secret of a further app');
            story.clock.nextStep();
            await user.enterCode(story.codeOf(app));
            await reachDone(user, 'app');
            await user.check('page of the account with two apps');

            story.clock.advance(STALE_SECONDS);
            await user.press(t.authenticators.removeTitle(t.account.types.totp));
            await user.check('page to remove an app of two');
            await user.enterCode(story.nextCode({ app }));
            await reachDone(user, 'removed');
            expect(await item(user, 'Work phone').count()).toBe(1);
            expect(await item(user, '').count()).toBe(1);
          }));
      },
    );

    describe('in one look', { timeout: MANY_CHECKS_MILLIS }, () => {
      it('a user with passkeys only confirms every form with one', () =>
        withBrowser(DESK, async (user) => {
          const { t, page } = user;
          await VirtualAuthenticator.addTo(page);
          const { id } = story.person();
          await user.visit(`/portal/login?return_to=${CONTEXT}${SECURITY}`);
          await user.signIn(id, PASSWORD);
          await user.press(t.account.setUp);
          await user.press(t.setup.usePasskey);
          await user.reach(t.codes.title);
          await user.press(t.codes.saved);
          await user.reach(t.account.title);
          expect(await user.target(t.account.replace).count()).toBe(0);

          await user.press(t.account.newCodes);
          await user.press(t.account.provePasskey);
          await user.reach(t.codes.title);
          await user.press(t.codes.saved);

          story.clock.advance(STALE_SECONDS);
          await user.press(t.account.changePassword);
          await user.reach(t.passwordChange.title);
          await user.check('page to change the password with a passkey');
          await user.press(t.account.provePasskey);
          expect(await page.locator('#current:invalid').count()).toBe(1);
          await page.locator('#current').fill(PASSWORD);
          await page.locator('#new').fill(CHOSEN);
          await user.press(t.account.provePasskey);
          await reachDone(user, 'password');

          await user.press(t.account.turnOff);
          await user.reach(t.turnOff.title);
          await page.getByText(t.verify.useCode).click();
          expect(await page.locator('main').textContent()).not.toContain(t.verify.anyLabel);
          await user.check('page to turn two-step sign-in off with a passkey');
          await user.press(t.account.provePasskey);
          await reachDone(user, 'off');
          expect(await story.countOf({ id }, 'MFA_FAILED')).toBe(0);
        }));

      it('a proof that has become too old is asked for before a passkey is created, also if the page is open already', () =>
        withBrowser(DESK, async (user) => {
          const { t, page } = user;
          const authenticator = await VirtualAuthenticator.addTo(page);
          const person = await story.enrolled();
          await signIn(user, person);
          await user.press(t.account.addPasskey);
          await user.reach(t.account.addPasskey);

          story.clock.advance(STALE_SECONDS);
          await user.press(t.account.addPasskey);
          await user.reach(t.verify.titleStepUp);
          expect(await authenticator.credentials()).toEqual([]);
          await user.enterCode(story.nextCode(person));
          await user.reach(t.account.addPasskey);
          await user.press(t.account.addPasskey);

          await reachDone(user, 'passkey');
          expect(await authenticator.credentials()).toHaveLength(1);
        }));

      it('the page says beside the button that the authenticator already has a passkey of the account', () =>
        withBrowser(DESK, async (user) => {
          const { t, page } = user;
          await VirtualAuthenticator.addTo(page);
          await signIn(user, await story.enrolled());
          await addPasskey(user, 'Blue key');

          await user.press(t.account.addPasskey);
          await user.reach(t.account.addPasskey);
          await user.press(t.account.addPasskey);
          await page.getByRole('alert').waitFor();

          expect(await user.alert()).toBe(t.passkey.known);
          await user.check('page to add a passkey that exists');
        }));

      it('a passkey that signs wrongly is rejected with the form, which then accepts a code', () =>
        withBrowser(DESK, async (user) => {
          const { t, page } = user;
          const authenticator = await VirtualAuthenticator.addTo(page);
          const person = await story.enrolled();
          await signIn(user, person);
          await addPasskey(user, 'Blue key');
          story.clock.advance(STALE_SECONDS);
          await user.press(t.authenticators.renameTitle('Blue key'));
          await page.locator('#name').fill('Red key');

          await authenticator.falsify({ isBogusSignature: true });
          await user.press(t.account.provePasskey);
          await page.getByText(t.passkey.rejected).waitFor();
          expect(await page.locator('#name').inputValue()).toBe('Red key');
          await user.check('page to rename a passkey after a wrong signature');
          await typeCode(user, story.nextCode(person));

          await reachDone(user, 'renamed');
          expect(await story.countOf(person, 'MFA_FAILED')).toBe(1);
        }));

      it('Enter in the name sends a code that was typed, and asks for the passkey without one', () =>
        withBrowser(DESK, async (user) => {
          const { t, page } = user;
          await VirtualAuthenticator.addTo(page);
          const person = await story.enrolled();
          await signIn(user, person);
          await addPasskey(user, 'Blue key');

          story.clock.advance(STALE_SECONDS);
          await user.press(t.authenticators.renameTitle('Blue key'));
          await page.locator('#name').fill('Red key');
          await page.keyboard.press('Enter');
          await reachDone(user, 'renamed');
          story.clock.advance(STALE_SECONDS);
          await user.press(t.authenticators.renameTitle('Red key'));
          await page.getByText(t.verify.useCode).click();
          await page.locator('#code').fill(story.nextCode(person));
          await page.locator('#name').fill('Green key');
          await page.keyboard.press('Enter');
          await reachDone(user, 'renamed');

          const proofs = (await story.events(person)).filter(({ kind }) => kind === 'STEP_UP_OK');
          expect(proofs.slice(-2).map(({ reason }) => reason)).toEqual(['passkey', 'totp']);
        }));

      it('without script, a user renames and removes authenticators by a code, and adds an app but no passkey', () =>
        withBrowser(DESK, async (first) => {
          await VirtualAuthenticator.addTo(first.page);
          const person = await story.enrolled();
          await signIn(first, person);
          await addPasskey(first, 'Blue key');
          await withBrowser(WITHOUT_SCRIPT, async (user) => {
            const { t, page } = user;
            await signIn(user, person);
            expect(await user.target(t.account.addPasskey).isVisible()).toBe(false);
            await user.check('page of the account with a passkey');

            story.clock.advance(STALE_SECONDS);
            await user.press(t.authenticators.renameTitle('Blue key'));
            expect(await user.target(t.account.provePasskey).isVisible()).toBe(false);
            await user.check('page to rename a passkey');
            await page.locator('#name').fill('Red key');
            await page.locator('#code').fill(story.nextCode(person));
            await page.locator('details button').click();
            await reachDone(user, 'renamed');

            story.clock.advance(STALE_SECONDS);
            await user.press(t.authenticators.removeTitle('Red key'));
            await user.check('page to remove a passkey');
            await typeCode(user, story.nextCode(person));
            await reachDone(user, 'removed');

            await user.press(t.account.addApp);
            await user.press(t.common.continue);
            await user.reach(t.setup.titleScan);
            const app = await user.scan();
            await user.check('page with the secret of a further app');
            story.clock.nextStep();
            await user.enterCode(story.codeOf(app));
            await reachDone(user, 'app');
            expect(await item(user, '').count()).toBe(2);
          });
        }));
    });
  });
});
