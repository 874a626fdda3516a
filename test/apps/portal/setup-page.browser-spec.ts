import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onSqlite } from '../../support/database/story-database.js';
import { storyOn } from '../../support/login/login-story.js';
import { launchChromium } from '../../support/pages/chromium.js';
import { type Look, PHONE, PortalBrowser } from '../../support/pages/portal-browser.js';
import { needs } from '../../support/runner/needs.js';

/** The inner size of a maximised browser on a screen of 1366 by 768. */
const LOW_SCREEN = { width: 1366, height: 657 };
const LOOKS: readonly Look[] = [
  { name: 'in English', options: { viewport: LOW_SCREEN, locale: 'en-US' }, language: 'en' },
  { name: 'in Korean', options: { viewport: LOW_SCREEN, locale: 'ko-KR' }, language: 'ko' },
];
const ON_PHONE: Look = { name: 'on a phone', options: { viewport: PHONE, locale: 'en-GB' }, language: 'en' };

needs('chromium')('the page with the QR code', () => {
  onSqlite('in a browser', (engine) => {
    const story = storyOn(engine, { people: LOOKS.length + 1 });
    let browser: Browser;

    beforeAll(async () => {
      browser = await launchChromium();
    });

    afterAll(() => browser.close());

    /** A browser of a new user at the page with the QR code. */
    async function atQrCode(look: Look): Promise<PortalBrowser> {
      const { id, password } = story.person();
      const user = await PortalBrowser.open(browser, story.service.url, look);
      await user.visit('/portal/login?return_to=/2fa/portal/setup');
      await user.signIn(id, password);
      await user.target(user.t.setup.useApp).click();
      await user.page.locator('.qr').waitFor();
      return user;
    }

    /** The lower edges of the QR code, the field and the button, in pixels from the top of the page. */
    async function edgesOf({ page, t }: PortalBrowser): Promise<readonly number[]> {
      const parts = [page.locator('.qr'), page.locator('#code'), page.getByRole('button', { name: t.setup.confirm })];
      const boxes = await Promise.all(parts.map((part) => part.boundingBox()));
      return boxes.map((box) => (box ? box.y + box.height : Infinity));
    }

    it.each(LOOKS)(
      'U8: shows the QR code, the field and its button without scrolling at 1366 by 657 $name',
      async (look) => {
        const user = await atQrCode(look);

        const edges = await edgesOf(user);

        expect(Math.max(...edges)).toBeLessThanOrEqual(LOW_SCREEN.height);
        await user.check('page with the QR code');
        await user.close();
      },
    );

    it('U8: shows the field below the QR code on a phone', async () => {
      const user = await atQrCode(ON_PHONE);

      const [qr = 0, field = 0] = await edgesOf(user);

      expect(field).toBeGreaterThan(qr);
      await user.close();
    });
  });
});
