import { expect, it } from 'vitest';
import { launchChromium } from '../../support/pages/chromium.js';
import { needs } from '../../support/runner/needs.js';
import { startService } from '../../support/programs/service.js';

needs('chromium')('home page', () => {
  it('the home page leads a visitor to the sign-in page without a content policy violation', async () => {
    const service = await startService();
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      const consoleErrors: string[] = [];
      page.on('console', (message) => consoleErrors.push(message.text()));

      await page.goto(`${service.url}/`);

      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Sign in');
      expect(await page.title()).toBe('Sign in - Login service');
      expect(consoleErrors).toEqual([]);
    } finally {
      await browser.close();
      await service.stop();
    }
  });
});
