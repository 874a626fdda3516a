import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Browser } from 'playwright-core';
import { launchChromium } from './chromium.js';
import { needs } from '../runner/needs.js';

needs('chromium')('installed Chromium', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchChromium();
  });

  afterAll(async () => {
    await browser.close();
  });

  it('Chromium opens a page and runs its script', async () => {
    const page = await browser.newPage();
    await page.goto('data:text/html,<title>before</title><script>document.title = 6 * 7</script>');

    expect(await page.title()).toBe('42');
  });
});
