import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { operationsOf } from '../../../src/platform/web/openapi/document.js';
import { launchChromium } from '../../support/pages/chromium.js';
import { needs } from '../../support/runner/needs.js';
import { OpenApi } from '../../support/http/open-api.js';
import { type RunningService, startService } from '../../support/programs/service.js';

const CONTEXT = '/auth';
const PHONE = { width: 360, height: 740 };

needs('chromium')('API documentation page', () => {
  let service: RunningService;
  let browser: Browser;

  beforeAll(async () => {
    service = await startService({ args: [`--server.servlet.context-path=${CONTEXT}`] });
    browser = await launchChromium();
  });

  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  /** Opens the page; `consoleErrors` are the console messages of the browser. */
  async function open(options: BrowserContextOptions): Promise<{ page: Page; consoleErrors: readonly string[] }> {
    const page = await browser.newPage(options);
    const consoleErrors: string[] = [];
    page.on('console', (message) => consoleErrors.push(message.text()));
    page.on('pageerror', (error) => consoleErrors.push(error.message));
    const answer = await page.goto(`${service.url}/docs`);
    expect(answer?.status()).toBe(200);
    return { page, consoleErrors };
  }

  it('the documentation page shows every operation without a script or a content policy violation', async () => {
    const { page, consoleErrors } = await open({ javaScriptEnabled: false });

    const operations = operationsOf((await OpenApi.of(service.url)).document);
    const articles = await page.locator('article').all();
    const shown = await Promise.all(articles.map((article) => article.getAttribute('id')));
    expect(shown.toSorted()).toEqual(operations.map(({ operation }) => operation.operationId).toSorted());
    expect(await page.locator('nav a').count()).toBe(operations.length);
    expect(await page.locator('article pre').count()).toBe(operations.length);
    expect(consoleErrors).toEqual([]);
  });

  it.each([
    ['light', 'rgb(255, 255, 255)'],
    ['dark', 'rgb(20, 24, 28)'],
  ] as const)('the documentation page follows the %s colour scheme', async (colorScheme, colour) => {
    const { page, consoleErrors } = await open({ colorScheme });

    expect(await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')).toBe(colour);
    expect(consoleErrors).toEqual([]);
  });

  it('the documentation page links from its contents to an operation, and to openapi.json', async () => {
    const { page } = await open({});

    await page.locator('nav').getByRole('link', { name: 'POST /login/2fa' }).click();
    expect(page.url()).toBe(`${service.url}/docs#postLogin2fa`);
    expect(await page.locator('article:target h3').textContent()).toBe('POST /login/2fa');
    const [answer] = await Promise.all([
      page.waitForResponse(`${service.url}/openapi.json`),
      page.getByRole('link', { name: 'openapi.json', exact: true }).click(),
    ]);
    expect(answer.status()).toBe(200);
  });

  it('the documentation page is no wider than the screen of a phone', async () => {
    const { page } = await open({ viewport: PHONE });

    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(PHONE.width);
  });
});
