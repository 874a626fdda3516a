import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuthenticatorApp } from '../../support/login/authenticator-app.js';
import { launchChromium } from '../../support/pages/chromium.js';
import { type Enrolled, PASSWORD, storyOn } from '../../support/login/login-story.js';
import { needs } from '../../support/runner/needs.js';
import { DESKTOP, type Look, LOOKS, PHONE, PortalBrowser } from '../../support/pages/portal-browser.js';
import { onSqlite } from '../../support/database/story-database.js';
import { VirtualAuthenticator, type VirtualAuthenticatorOptions } from '../../support/passkey/virtual-authenticator.js';

const CONTEXT = '/auth';
const DESK: Look = { name: 'a desktop', options: { viewport: DESKTOP, locale: 'en-US' }, language: 'en' };
const HANDHELD: Look = {
  name: 'a phone',
  options: { viewport: PHONE, isMobile: true, hasTouch: true, locale: 'en-US' },
  language: 'en',
};
const WITHOUT_SCRIPT: Look = {
  name: 'a phone without script',
  options: { ...HANDHELD.options, javaScriptEnabled: false },
  language: 'en',
};
const WITH_SCRIPT = LOOKS.filter(({ options }) => options.javaScriptEnabled !== false);

/** Authenticators, and the method that their passkeys prove (RFC 8176). */
const KINDS: readonly (readonly [string, VirtualAuthenticatorOptions, string])[] = [
  ['a security key', {}, 'hwk'],
  ['a security key with a PIN', { hasUserVerification: true }, 'hwk'],
  ['a security key that stores passkeys', { hasResidentKey: true, hasUserVerification: true }, 'hwk'],
  ['a device', { transport: 'internal', hasResidentKey: true, hasUserVerification: true }, 'hwk'],
  [
    'a phone that syncs its passkeys',
    { transport: 'internal', hasResidentKey: true, hasUserVerification: true, isSynced: true },
    'swk',
  ],
];
const BOSSES = [
  ...KINDS.map((_, index) => `boss-${index}`),
  'cancels',
  'offline',
  'reloads',
  'keyboard',
  'app',
  'stale',
];
const HELPERS = ['strict', 'strict-late', 'strict-app', 'strict-no-script', 'strict-unsupported'];
const NO_PASSKEYS = 'delete window.PublicKeyCredential';
/** Some browsers have an empty user handle in place of none. */
const EMPTY_USER_HANDLE = `(() => {
  Object.defineProperty(AuthenticatorAssertionResponse.prototype, 'userHandle', { get: () => new ArrayBuffer(0) });
})()`;
/** Ends the next request as its user does, whose window of the browser no test can reach. */
const CANCELLABLE = `(() => {
  const { credentials } = navigator;
  const create = credentials.create.bind(credentials);
  window.asked = new Promise((resolve) => {
    credentials.create = (options) => {
      const controller = new AbortController();
      resolve(() => controller.abort(new DOMException('cancelled', 'NotAllowedError')));
      return create({ ...options, signal: controller.signal });
    };
  });
})()`;

needs('chromium')('passkeys on the pages', () => {
  onSqlite('with virtual authenticators', (engine) => {
    const story = storyOn(engine, {
      people: 20,
      others: {
        ...Object.fromEntries(BOSSES.map((id) => [id, 'ROLE_ADMIN'])),
        ...Object.fromEntries(WITH_SCRIPT.map((_, index) => [`look-${index}`, 'ROLE_ADMIN'])),
        ...Object.fromEntries(HELPERS.map((id) => [id, 'ROLE_HELPDESK'])),
      },
      args: [
        `--server.servlet.context-path=${CONTEXT}`,
        '--app.security.mfa.trusted-device.enabled=true',
        '--app.branding.help-contact=+82 2 123 4567',
        '--app.security.mfa.required-strength=phishing-resistant',
        '--app.security.mfa.required-strength-roles=ROLE_HELPDESK',
      ],
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

    /** Opens the page at which the sign-in of a user continues after the password. */
    async function enterPassword(user: PortalBrowser, id: string): Promise<void> {
      await user.visit('/portal/login');
      await user.signIn(id, PASSWORD);
    }

    /** Signs in a user who must enrol, and sets up a passkey as the only authenticator. */
    async function enrol(user: PortalBrowser, id: string): Promise<readonly string[]> {
      const { t } = user;
      await enterPassword(user, id);
      await user.press(t.setup.usePasskey);
      await user.reach(t.codes.title);
      const codes = await user.backupCodes();
      await user.press(t.codes.savedFinish);
      await user.reach(t.home.title(id));
      return codes;
    }

    /** Signs in a user who may set up a second factor, and sets up a passkey. */
    async function addFirst(user: PortalBrowser, id: string): Promise<readonly string[]> {
      const { t } = user;
      await enterPassword(user, id);
      await user.visit('/2fa/portal/setup');
      await user.press(t.setup.usePasskey);
      await user.reach(t.codes.title);
      const codes = await user.backupCodes();
      await user.press(t.codes.saved);
      await user.reach(t.home.title(id));
      return codes;
    }

    async function amr(user: PortalBrowser): Promise<unknown> {
      const response = await user.context.request.get(user.urlOf('/session'));
      return ((await response.json()) as { readonly amr: unknown }).amr;
    }

    /** Adds a passkey in the session of a user who has just proved a second factor. */
    async function addBesideApp(user: PortalBrowser): Promise<void> {
      const { request } = user.context;
      const asked = await request.post(user.urlOf('/2fa/passkeys/registration/options'), { data: {} });
      expect(asked.status()).toBe(201);
      const credential = await user.page.evaluate(
        `navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(${await asked.text()}) }).then((it) => it.toJSON())`,
      );
      const added = await request.post(user.urlOf('/2fa/passkeys'), { data: { credential } });
      expect(added.status()).toBe(201);
    }

    /** A user with an app, who adds a passkey and signs out. */
    async function withBoth(user: PortalBrowser): Promise<Enrolled> {
      const person = await story.enrolled();
      await enterPassword(user, person.id);
      await user.enterCode(story.nextCode(person));
      await addBesideApp(user);
      await user.press(user.t.common.signOut);
      return person;
    }

    describe.each(KINDS.map(([kind, options, method], index) => ({ kind, options, method, index })))(
      '$kind',
      ({ kind, options, method, index }) => {
        it(`a user who must enrol sets up ${kind} in three clicks, signs in with it, and confirms a step-up with it`, () =>
          withBrowser(index % 2 === 0 ? DESK : HANDHELD, async (user) => {
            const { t } = user;
            const id = `boss-${index}`;
            await VirtualAuthenticator.addTo(user.page, options);

            const codes = await enrol(user, id);
            expect(codes).toHaveLength(10);
            expect(await amr(user)).toEqual(['pwd', method]);

            await user.press(t.common.signOut);
            await enterPassword(user, id);
            await user.reach(t.verify.titlePasskey);
            await user.press(t.passkey.use);
            await user.reach(t.home.title(id));
            expect(await user.page.getByText(t.home.withPasskey).count()).toBe(1);
            expect(await amr(user)).toEqual(['pwd', method]);

            story.clock.advance(301);
            await user.visit('/portal/admin');
            await user.reach(t.verify.titleStepUp);
            await user.press(t.passkey.use);
            await user.reach(t.admin.overviewPage.title);
            expect(await story.countOf({ id }, 'STEP_UP_OK')).toBe(1);
            expect(await story.countOf({ id }, 'MFA_FAILED')).toBe(0);
          }));
      },
    );

    it('A2: the script of the page sends no user handle if that of the browser is empty', () =>
      withBrowser(DESK, async (user) => {
        const { t } = user;
        await VirtualAuthenticator.addTo(user.page);
        const person = await withBoth(user);
        await user.page.addInitScript(EMPTY_USER_HANDLE);
        await enterPassword(user, person.id);
        await user.reach(t.verify.titlePasskey);

        const sent = user.page.waitForRequest((request) => request.postData()?.includes('credential=%7B') === true);
        await user.press(t.passkey.use);
        await user.reach(t.home.title(person.id));

        const form = new URLSearchParams((await sent).postData() ?? '');
        const { response } = JSON.parse(form.get('credential') ?? '') as { readonly response: object };
        expect(Object.keys(response)).toEqual(['clientDataJSON', 'authenticatorData', 'signature']);
      }));

    describe('an optional passkey', () => {
      it('a signed-in user without a second factor sets up a passkey with a name, and the session stays as it is', () =>
        withBrowser(DESK, async (user) => {
          const { t } = user;
          const { id } = story.person();
          await VirtualAuthenticator.addTo(user.page);
          await enterPassword(user, id);
          await user.visit('/2fa/portal/setup');
          await user.page.getByLabel(t.passkey.name).fill('Blue key');

          await user.page.keyboard.press('Enter');
          await user.reach(t.codes.title);
          expect(await user.page.getByText(t.codes.donePasskey).count()).toBe(1);
          await user.press(t.codes.saved);

          await user.reach(t.home.title(id));
          expect(await amr(user)).toEqual(['pwd']);
          const named = await story.database.query('SELECT name FROM passkey WHERE user_id = ?', [
            await story.subjectOf({ id }),
          ]);
          expect(named).toEqual([{ name: 'Blue key' }]);
        }));

      it('a user whose sign-in is too old is asked to sign in again before a passkey is created', () =>
        withBrowser(DESK, async (user) => {
          const { t } = user;
          const { id } = story.person();
          const authenticator = await VirtualAuthenticator.addTo(user.page);
          await enterPassword(user, id);
          await user.visit('/2fa/portal/setup');

          story.clock.advance(601);
          await user.press(t.setup.usePasskey);
          await user.target(t.setup.again).waitFor();

          expect(await user.alert()).toContain(t.errors.STEP_UP_REQUIRED);
          expect(await authenticator.credentials()).toEqual([]);
          await user.press(t.setup.again);
          await user.signIn(id, PASSWORD);
          await user.press(t.setup.usePasskey);
          await user.reach(t.codes.title);
        }));

      it('a browser is trusted after a passkey as after a code', () =>
        withBrowser(HANDHELD, async (user) => {
          const { t } = user;
          const { id } = story.person();
          await VirtualAuthenticator.addTo(user.page);
          await addFirst(user, id);
          await user.press(t.common.signOut);

          await enterPassword(user, id);
          await user.page.getByRole('checkbox').first().check();
          await user.press(t.passkey.use);
          await user.reach(t.home.title(id));
          expect(await story.countOf({ id }, 'DEVICE_TRUSTED')).toBe(1);
          await user.press(t.common.signOut);
          await enterPassword(user, id);

          await user.reach(t.home.title(id));
        }));
    });

    describe('a code as the alternative', () => {
      it('a user with both uses the passkey first, and finds the code below it', () =>
        withBrowser(HANDHELD, async (user) => {
          const { t, page } = user;
          await VirtualAuthenticator.addTo(page, KINDS[4]?.[1]);
          const person = await withBoth(user);

          await enterPassword(user, person.id);
          expect(await page.locator('button:focus').textContent()).toBe(t.passkey.use);
          expect(await page.locator('#code').isVisible()).toBe(false);
          await page.getByText(t.verify.useCode).click();
          await user.check('page for a passkey or a code');
          await user.enterCode(story.wrongCode(person));
          expect(await user.alert()).toContain(t.errors.MFA_CODE_INVALID);
          expect(await page.locator('#code').isVisible()).toBe(true);
          await user.press(t.verify.backupCode);
          expect(await page.locator('#code').isVisible()).toBe(true);
          await user.enterCode(person.backupCodes[0] ?? '');

          await user.reach(t.home.title(person.id));
          expect(await amr(user)).toEqual(['pwd', 'otp']);
        }));

      it('a step-up that needs a one-time code offers no passkey', () =>
        withBrowser(DESK, async (user) => {
          const { t, page } = user;
          await VirtualAuthenticator.addTo(page);
          const person = await withBoth(user);
          await enterPassword(user, person.id);
          await user.press(t.passkey.use);
          await user.reach(t.home.title(person.id));

          await user.visit('/2fa/portal/verify?required=otp&return_to=/auth/portal/security');
          await user.reach(t.verify.titleStepUp);
          expect(await user.target(t.passkey.use).count()).toBe(0);
          await user.enterCode(story.nextCode(person));

          await user.reach(t.account.title);
          expect(await amr(user)).toEqual(['pwd', 'otp']);
        }));

      it('a user with passkeys only is offered a backup code, and reads nothing about an app', () =>
        withBrowser(HANDHELD, async (user) => {
          const { t, page } = user;
          const { id } = story.person();
          await VirtualAuthenticator.addTo(page);
          const [code = ''] = await addFirst(user, id);
          await user.press(t.common.signOut);

          await enterPassword(user, id);
          await page.getByText(t.verify.useCode).click();
          const text = await page.locator('main').textContent();
          expect(text).toContain(t.passkey.lost);
          expect(text).not.toMatch(/app/i);
          await user.check('page for a passkey or a backup code');
          await user.enterCode(code);

          await user.reach(t.home.title(id));
        }));
    });

    describe('a passkey that is not used', () => {
      it('the page says beside the button that a request ended without a passkey, and the user can repeat it', () =>
        withBrowser(DESK, async (user) => {
          const { t, page } = user;
          const authenticator = await VirtualAuthenticator.addTo(page, { isUserPresent: false });
          await enterPassword(user, 'cancels');
          await page.evaluate(CANCELLABLE);

          await user.press(t.setup.usePasskey);
          await page.locator('button:disabled').waitFor();
          await page.evaluate('window.asked.then((cancel) => cancel())');
          await page.getByRole('alert').waitFor();
          expect(await user.alert()).toBe(t.passkey.cancelled);
          await page.locator('[role=alert]:focus').waitFor();
          await user.check('setup page after a cancelled request');
          await authenticator.setUserPresent(true);
          await user.press(t.setup.usePasskey);

          await user.reach(t.codes.title);
        }));

      it('an authenticator without a passkey of the user sends nothing, and costs no attempt', () =>
        withBrowser(DESK, async (user) => {
          const { t, page } = user;
          const own = await VirtualAuthenticator.addTo(page);
          const { id } = story.person();
          await addFirst(user, id);
          await user.press(t.common.signOut);
          const kept = await own.credentials();
          await own.clear();

          await enterPassword(user, id);
          await user.press(t.passkey.use);
          await page.getByRole('alert').waitFor();
          expect(await user.alert()).toBe(t.passkey.cancelled);
          expect(await story.countOf({ id }, 'MFA_FAILED')).toBe(0);
          for (const credential of kept) await own.add(credential);
          await user.press(t.passkey.use);

          await user.reach(t.home.title(id));
        }));

      it('a browser without connection tells so, and the button works again', () =>
        withBrowser(DESK, async (user) => {
          const { t, page } = user;
          await VirtualAuthenticator.addTo(page);
          // Before the page is opened: Chromium may not intercept requests of a page that is just being loaded.
          await page.route('**/options', (route) => route.abort());
          await enterPassword(user, 'offline');

          await user.press(t.setup.usePasskey);
          await page.getByRole('alert').waitFor();
          expect(await user.alert()).toBe(t.passkey.failed);
          await page.unroute('**/options');
          await user.press(t.setup.usePasskey);

          await user.reach(t.codes.title);
        }));

      it('wrong signatures lock the account like wrong codes, also for a page that is open already', () =>
        withBrowser(HANDHELD, async (user) => {
          const { t, page } = user;
          const authenticator = await VirtualAuthenticator.addTo(page);
          const { id } = story.person();
          await addFirst(user, id);
          await user.press(t.common.signOut);
          await withBrowser(DESK, async (other) => {
            await enterPassword(other, id);
            const open = await authenticator.copyTo(other.page);
            const unused = await open.credentials();
            await authenticator.falsify({ isBogusSignature: true });
            await enterPassword(user, id);

            for (let attempt = 1; attempt < 5; attempt += 1) {
              await user.press(t.passkey.use);
              await page.getByText(t.passkey.rejected).waitFor();
              await page.locator('[role=alert]:focus').waitFor();
            }
            await user.check('page for a passkey after a wrong signature');
            await user.press(t.passkey.use);
            await user.reach(t.lock.title);
            expect(await story.countOf({ id }, 'MFA_FAILED')).toBe(5);

            await other.press(t.passkey.use);
            await other.reach(t.lock.title);
            expect(await open.credentials()).toEqual(unused);
          });
        }));
    });

    describe('an interrupted enrolment', () => {
      it('U8: a reload of the page with the backup codes shows them again, and the page still finishes the sign-in', () =>
        withBrowser(DESK, async (user) => {
          const { t, page } = user;
          await VirtualAuthenticator.addTo(page);
          await enterPassword(user, 'reloads');
          await user.press(t.setup.usePasskey);
          await user.reach(t.codes.title);

          const codes = await user.backupCodes();
          await page.reload();
          expect(await user.backupCodes()).toEqual(codes);
          await user.press(t.codes.savedFinish);

          await user.reach(t.home.title('reloads'));
          expect(await amr(user)).toEqual(['pwd', 'hwk']);
        }));

      it('a user who began with an app can choose a passkey, and the app later', () =>
        withBrowser(DESK, async (user) => {
          const { t } = user;
          await enterPassword(user, 'app');
          await user.press(t.setup.useApp);
          const app = await user.scan();
          await user.press(t.setup.otherWay);
          await user.reach(t.setup.titleChoice);
          await user.press(t.setup.useApp);

          expect((await user.scan()).secret).toBe(app.secret);
          await user.enterCode(story.codeOf(app));
          await user.reach(t.codes.title);
        }));

      it('the keyboard alone sets up a passkey and signs in with it', () =>
        withBrowser(DESK, async (user) => {
          const { t, page } = user;
          await VirtualAuthenticator.addTo(page);
          await enterPassword(user, 'keyboard');
          await page.getByLabel(t.passkey.name).focus();
          await page.keyboard.press('Tab');
          await page.keyboard.press('Enter');
          await user.reach(t.codes.title);
          await user.target(t.codes.savedFinish).focus();
          await page.keyboard.press('Enter');
          await user.reach(t.home.title('keyboard'));
          await user.press(t.common.signOut);
          await enterPassword(user, 'keyboard');
          await page.locator('button:focus').waitFor();
          await page.keyboard.press('Enter');

          await user.reach(t.home.title('keyboard'));
          expect(await story.countOf({ id: 'keyboard' }, 'MFA_OK')).toBe(2);
        }));
    });

    describe('where passkeys are demanded', () => {
      it('a user sets up a passkey, and no page offers an app or a code', () =>
        withBrowser(HANDHELD, async (user) => {
          const { t, page } = user;
          await VirtualAuthenticator.addTo(page);
          await enterPassword(user, 'strict');
          await user.reach(t.setup.titlePasskey);
          expect(await page.locator('main').textContent()).toContain(t.setup.onlyPasskey);
          expect(await user.target(t.setup.useApp).count()).toBe(0);
          await user.check('setup page where only a passkey is allowed');
          await user.press(t.passkey.create);
          await user.reach(t.codes.title);
          await user.check('page with the backup codes of a passkey');
          await user.press(t.codes.savedFinish);
          await user.reach(t.home.title('strict'));

          await user.press(t.common.signOut);
          await enterPassword(user, 'strict');
          await user.reach(t.verify.titlePasskey);
          expect(await page.locator('#code').count()).toBe(0);
          expect(await page.locator('main').textContent()).toContain(t.passkey.lostOnly);
          await user.check('page for a passkey alone');
          await user.press(t.passkey.use);
          await user.reach(t.home.title('strict'));
        }));

      it('a user with an app proves it by a code, and then creates the passkey', () =>
        withBrowser(DESK, async (user) => {
          const { t, page } = user;
          const person = await story.enrolled();
          expect(await story.command('users', 'set-roles', person.id, 'ROLE_HELPDESK')).toMatchObject({ exitCode: 0 });
          await VirtualAuthenticator.addTo(page);
          await enterPassword(user, person.id);
          await user.reach(t.setup.titlePasskey);
          await user.check('setup page that asks for a code');
          await user.enterCode(story.wrongCode(person));
          expect(await user.alert()).toContain(t.errors.MFA_CODE_INVALID);
          await user.enterCode(story.nextCode(person));
          await user.reach(t.passkey.title);
          await user.check('page that creates a passkey');
          await user.press(t.passkey.create);
          await user.reach(t.verify.titlePasskey);
          expect(await page.locator('#code').count()).toBe(0);
          await user.press(t.passkey.use);

          await user.reach(t.home.title(person.id));
          expect(await amr(user)).toEqual(['pwd', 'hwk']);
          expect(await story.countOf(person, 'PASSKEY_ADDED')).toBe(1);
        }));

      it('without script, a text tells what to do', () =>
        withBrowser(WITHOUT_SCRIPT, async (user) => {
          const { t, page } = user;
          await enterPassword(user, 'strict-no-script');
          expect(await page.locator('main').textContent()).toContain(`${t.passkey.noScript} ${t.passkey.turnOnScript}`);
          expect(await user.target(t.passkey.create).isVisible()).toBe(false);
          await user.check('setup page where only a passkey is allowed');
        }));

      it('in a browser without passkeys, a text tells what to do', () =>
        withBrowser(HANDHELD, async (user) => {
          const { t, page } = user;
          await page.addInitScript(NO_PASSKEYS);
          await enterPassword(user, 'strict-unsupported');
          const told = page.getByText(`${t.passkey.noSupport} ${t.passkey.otherBrowser}`);
          await told.waitFor();
          expect(await user.target(t.passkey.create).isVisible()).toBe(false);
          await user.check('setup page in a browser without passkeys');
        }));
    });

    describe('without passkeys in the browser', () => {
      it.each([
        ['without script', WITHOUT_SCRIPT],
        ['that does not support them', HANDHELD],
      ] as const)('a browser %s shows the code at once, and the app in the setup', (_what, look) =>
        withBrowser(DESK, async (first) => {
          await VirtualAuthenticator.addTo(first.page);
          const person = await withBoth(first);
          await withBrowser(look, async (user) => {
            const { t, page } = user;
            if (user.hasScript) await page.addInitScript(NO_PASSKEYS);
            await enterPassword(user, person.id);
            await user.reach(t.verify.titlePasskey);
            const told = user.hasScript ? page.getByText(t.passkey.noSupport) : page.locator('noscript p');
            await told.waitFor();
            expect(await told.textContent()).toBe(user.hasScript ? t.passkey.noSupport : t.passkey.noScript);
            expect(await user.target(t.passkey.use).isVisible()).toBe(false);
            await user.check('page for a code in a browser without passkeys');
            await user.enterCode(story.nextCode(person));
            await user.reach(t.home.title(person.id));

            await user.press(t.common.signOut);
            await enterPassword(user, story.person().id);
            await user.visit('/2fa/portal/setup');
            expect(await user.target(t.setup.usePasskey).isVisible()).toBe(false);
            await user.press(t.setup.useApp);
            const app = AuthenticatorApp.typeIn(await user.typedSecret());
            await user.enterCode(story.codeOf(app));
            await user.reach(t.codes.title);
          });
        }),
      );
    });

    describe.each(WITH_SCRIPT.map((look, index) => ({ name: look.name, look, id: `look-${index}` })))(
      'on $name',
      ({ look, id }) => {
        it(`on ${look.name}, the pages of passkeys are accessible, and their buttons have the width of the page`, () =>
          withBrowser(look, async (user) => {
            const { t, page } = user;
            const wide = async (label: string): Promise<void> => {
              const button = await user.target(label).boundingBox();
              const form = await page.locator(`form:has(button:text-is("${label}"))`).boundingBox();
              expect(button?.width, label).toBe(form?.width);
            };
            await VirtualAuthenticator.addTo(page);
            await enterPassword(user, id);
            await user.check('setup page');
            await wide(t.setup.usePasskey);
            await wide(t.setup.useApp);
            await user.press(t.setup.usePasskey);
            await user.reach(t.codes.title);
            await user.check('page with the backup codes of a passkey');
            await wide(t.codes.savedFinish);
            await user.press(t.codes.savedFinish);
            await user.reach(t.home.title(id));
            await user.press(t.common.signOut);
            await enterPassword(user, id);
            await user.reach(t.verify.titlePasskey);
            await user.check('page for a passkey');
            await wide(t.passkey.use);
          }));
      },
    );
  });
});
