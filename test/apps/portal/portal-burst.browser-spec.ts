import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onSqlite } from '../../support/database/story-database.js';
import { fillQueue } from '../../support/login/full-queue.js';
import { PASSWORD, storyOn } from '../../support/login/login-story.js';
import { launchChromium } from '../../support/pages/chromium.js';
import { DESKTOP, type Look, PortalBrowser } from '../../support/pages/portal-browser.js';
import { needs } from '../../support/runner/needs.js';
import { waitUntil } from '../../support/runner/wait-until.js';

/** Sign-ins in progress at once, of which none may wait. */
const SLOTS = 4;
const LOOKS: readonly Look[] = [
  { name: 'with script', options: { viewport: DESKTOP, locale: 'en-US' }, language: 'en' },
  { name: 'without script', options: { viewport: DESKTOP, locale: 'en-US', javaScriptEnabled: false }, language: 'en' },
];

/** Reports the text of the element that says that the sign-in waits. */
const REPORTS = `setInterval(() => {
  const element = document.querySelector('[data-waiting]:not([hidden])');
  if (element) window.report(element.textContent);
}, 100)`;

needs('chromium')('a browser whose sign-in is rejected in a burst', () => {
  onSqlite('while the database is locked', (engine) => {
    const story = storyOn(engine, {
      people: 2 * LOOKS.length,
      args: [`--server.embedded.threads.max=${SLOTS}`, '--server.embedded.accept-count=0'],
    });
    let browser: Browser;

    beforeAll(async () => {
      browser = await launchChromium();
    });

    afterAll(() => browser.close());

    it.each(LOOKS)('sends its form again by itself until it is admitted ($name)', async (look) => {
      const { id } = story.person();
      const user = await PortalBrowser.open(browser, story.service.url, look);
      const shown = new Set<string>();
      // A page that is about to be left responds to no other question.
      await user.page.exposeFunction('report', (text: string) => shown.add(text));
      await user.page.addInitScript(REPORTS);
      await user.visit('/portal/login?return_to=/portal/account');
      await user.page.locator('#id').fill(id);
      await user.page.locator('#pw').fill(PASSWORD);
      const release = await fillQueue(story, SLOTS + 1);
      const statuses: number[] = [];
      user.page.on('response', (response) => statuses.push(response.status()));

      await user.target(user.t.signIn.title).click({ noWaitAfter: true });
      await waitUntil('the browser was sent back', () => statuses.includes(307));
      if (user.hasScript) await waitUntil('the page says so', () => shown.has(user.t.common.waiting));
      await release();
      await user.page.waitForURL(/\/portal\/(?!login)/);

      expect(statuses).not.toContain(503);
      expect(user.consoleErrors).toEqual([]);
      await user.close();
    });
  });
});
