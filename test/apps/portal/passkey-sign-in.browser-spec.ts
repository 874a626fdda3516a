import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onSqlite } from '../../support/database/story-database.js';
import { PASSWORD, storyOn } from '../../support/login/login-story.js';
import { launchChromium } from '../../support/pages/chromium.js';
import { DESKTOP, type Look, LOOKS, PortalBrowser } from '../../support/pages/portal-browser.js';
import { VirtualAuthenticator, type VirtualAuthenticatorOptions } from '../../support/passkey/virtual-authenticator.js';
import { needs } from '../../support/runner/needs.js';

const DESK: Look = { name: 'a desktop', options: { viewport: DESKTOP, locale: 'en-US' }, language: 'en' };
const KEY = '--app.security.mfa.passkey.sign-in';
const DEVICE: VirtualAuthenticatorOptions = {
  ...{ transport: 'internal', hasResidentKey: true, hasUserVerification: true, isSynced: true },
};
/** Suggestions wait for the choice of the user, which the authenticators of Chromium do not wait for, and end if they are aborted. */
const WAITING = `(() => {
  const get = navigator.credentials.get.bind(navigator.credentials);
  window.suggestions = [];
  navigator.credentials.get = (options) => {
    if (options.mediation !== 'conditional') return get(options);
    return new Promise((resolve, reject) => {
      const suggestion = { challenge: String(new Uint8Array(options.publicKey.challenge)), ended: '' };
      window.suggestions.push(suggestion);
      options.signal.addEventListener('abort', () => {
        suggestion.ended = options.signal.reason;
        reject(options.signal.reason);
      });
    });
  };
})()`;
const STORING_KEY: VirtualAuthenticatorOptions = { hasResidentKey: true, hasUserVerification: true };

/** A user with a passkey in an authenticator of the browser. */
interface Holder {
  readonly id: string;
  readonly codes: readonly string[];
  readonly authenticator: VirtualAuthenticator;
}

needs('chromium')('sign-in by passkey alone on the pages', () => {
  onSqlite('with virtual authenticators', (engine) => {
    const story = storyOn(engine, {
      people: 20,
      args: [`${KEY}=on`, '--server.servlet.context-path=/auth'],
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
        expect(user.consoleErrors).toEqual([]);
      } finally {
        await user.close();
      }
    }

    /** A user with a passkey in the authenticator of the browser, signed in by password. */
    async function enrolled(user: PortalBrowser, options: VirtualAuthenticatorOptions): Promise<Holder> {
      const { t } = user;
      const { id } = story.person();
      await user.visit('/portal/login');
      await user.signIn(id, PASSWORD);
      const authenticator = await VirtualAuthenticator.addTo(user.page, options);
      await user.visit('/2fa/portal/setup');
      await user.press(t.setup.usePasskey);
      await user.reach(t.codes.title);
      const codes = await user.backupCodes();
      await user.press(t.codes.saved);
      await user.reach(t.home.title(id));
      return { id, codes, authenticator };
    }

    /** The same user, signed out, in a browser whose suggestions wait. */
    async function signedOut(user: PortalBrowser, options: VirtualAuthenticatorOptions): Promise<Holder> {
      await user.page.addInitScript(WAITING);
      const person = await enrolled(user, options);
      await user.press(user.t.common.signOut);
      await user.reach(user.t.signIn.title);
      return person;
    }

    async function suggestions(
      user: PortalBrowser,
    ): Promise<readonly { readonly challenge: string; readonly ended: string }[]> {
      return user.page.evaluate('window.suggestions');
    }

    async function amr(user: PortalBrowser): Promise<unknown> {
      const response = await user.context.request.get(user.urlOf('/session'));
      return ((await response.json()) as { readonly amr: unknown }).amr;
    }

    it('U6: the button of the sign-in page signs in with a passkey that verified its user, and returns to the page', () =>
      withBrowser(DESK, async (user) => {
        const { t } = user;
        const { id } = await signedOut(user, DEVICE);
        await user.visit('/portal/login?return_to=%2Fauth%2Fportal%2Fsecurity');

        await user.press(t.signIn.passkey);

        await user.page.waitForURL('**/portal/security');
        expect(await amr(user)).toEqual(['swk', 'mfa']);
        await user.visit('/');
        await user.reach(t.home.title(id));
        expect(await user.page.getByText(t.home.withPasskeyAlone).count()).toBe(1);
      }));

    it('U6: the browser suggests the passkey in the field of the username, and signs in with it (conditional mediation)', () =>
      withBrowser(DESK, async (user) => {
        const { t } = user;
        const { id } = await enrolled(user, DEVICE);

        // Its authenticator takes the suggestion at once.
        await user.press(t.common.signOut);

        await expect.poll(() => story.countOf({ id }, 'LOGIN_PASSKEY_OK'), { timeout: 10_000 }).toBe(1);
        await user.reach(t.home.title(id));
        expect(await amr(user)).toEqual(['swk', 'mfa']);
      }));

    it('U6: a passkey without user verification leads to the page for a code', () =>
      withBrowser(DESK, async (user) => {
        const { t } = user;
        const { id, codes, authenticator } = await signedOut(user, STORING_KEY);
        await authenticator.falsify({ isBadUV: true });

        await user.press(t.signIn.passkey);
        await user.reach(t.verify.title);
        expect(await user.page.getByRole('button', { name: t.passkey.use }).count()).toBe(0);
        await user.enterCode(String(codes[0]));

        await user.reach(t.home.title(id));
        expect(await amr(user)).toEqual(['otp', 'hwk']);
      }));

    it('U6: a passkey that the service does not know is rejected with the same page, and the password signs in', () =>
      withBrowser(DESK, async (user) => {
        const { t } = user;
        const { id } = await signedOut(user, DEVICE);
        await story.database.query('DELETE FROM passkey WHERE user_id = ?', [await story.subjectOf({ id })]);
        await story.database.query('UPDATE account SET passkey_count = 0 WHERE login_id = ?', [id]);

        await user.press(t.signIn.passkey);
        await user.page.getByText(t.signIn.passkeyRejected).waitFor();
        expect(await suggestions(user)).toEqual([]);
        await user.signIn(id, PASSWORD);

        await user.reach(t.home.title(id));
      }));

    it('U6: the button ends the request of the suggestions, and a page that stays open renews its challenge', () =>
      withBrowser(DESK, async (user) => {
        const { t } = user;
        const { id } = await signedOut(user, DEVICE);
        await user.page.clock.install();
        await user.visit('/portal/login');
        expect(await user.page.locator('#id').getAttribute('autocomplete')).toBe('username webauthn');
        await expect.poll(() => suggestions(user)).toHaveLength(1);

        await user.page.clock.fastForward(240_000);
        await expect.poll(() => suggestions(user)).toHaveLength(2);
        const [first, second] = await suggestions(user);
        expect([first?.ended, second?.ended]).toEqual(['renewed', '']);
        expect(first?.challenge).not.toBe(second?.challenge);

        await user.press(t.signIn.passkey);
        await user.reach(t.home.title(id));
      }));

    it('U6: a browser that offers no passkeys shows the page without the button', () =>
      withBrowser(DESK, async (user) => {
        const { t } = user;
        await user.page.addInitScript('delete window.PublicKeyCredential');

        await user.visit('/portal/login');

        await user.reach(t.signIn.title);
        expect(await user.page.getByRole('button', { name: t.signIn.passkey }).isVisible()).toBe(false);
      }));

    it.each(LOOKS)('U6: the sign-in page with passkeys is accessible and small on $name', (look) =>
      withBrowser(look, async (user) => {
        await user.visit('/portal/login');

        expect(await user.page.locator('[data-passkey]').count()).toBe(1);
        await user.check('passkey-sign-in');
      }),
    );
  });
});
