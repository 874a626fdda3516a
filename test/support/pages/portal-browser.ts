import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { PNG } from 'pngjs';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import decodeQr from 'qr/decode.js';
import { expect } from 'vitest';
import type { Language } from '../../../src/identity/account/language.js';
import { type Messages, messagesOf } from '../../../src/signin/messages/messages.js';
import { AuthenticatorApp } from '../login/authenticator-app.js';
import { membersOf } from '../runner/tier.js';

/** How a user looks at the pages. */
export interface Look {
  readonly name: string;
  readonly options: BrowserContextOptions;
  readonly language: Language;
}

export const PHONE = { width: 390, height: 844 };
export const DESKTOP = { width: 1280, height: 800 };

const phone = { viewport: PHONE, isMobile: true, hasTouch: true, deviceScaleFactor: 2, locale: 'en-GB' };
const desktop = { viewport: DESKTOP, locale: 'en-US' };

export const ALL_LOOKS: readonly Look[] = [
  { name: 'a phone', options: phone, language: 'en' },
  { name: 'a desktop', options: desktop, language: 'en' },
  { name: 'a phone without script', options: { ...phone, javaScriptEnabled: false }, language: 'en' },
  { name: 'a dark desktop', options: { ...desktop, colorScheme: 'dark' }, language: 'en' },
  { name: 'a Korean phone', options: { ...phone, locale: 'ko-KR' }, language: 'ko' },
  {
    name: 'a dark Korean desktop without script',
    options: { ...desktop, colorScheme: 'dark', locale: 'ko-KR', javaScriptEnabled: false },
    language: 'ko',
  },
];

/** The looks in which every page is checked. Two of them have all sizes, colours, languages, and both with and without script. */
export const LOOKS = membersOf(ALL_LOOKS, (look) => look === ALL_LOOKS.at(0) || look === ALL_LOOKS.at(-1));

/** About responses with an error status, and about a field that had the focus before the page was read completely. */
const EXPECTED = /^(?:Failed to load resource|Autofocus processing was blocked)/;
/** Bytes of the first view of a page: its document and every file that it loads, uncompressed. */
const MAX_BYTES = 30_000;
const MIN_FONT = 16;
const MIN_INPUT_HEIGHT = 44;
const MIN_TARGET = 24;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/** A user's browser on the pages of the service. */
export class PortalBrowser {
  readonly t: Messages;
  /** Messages of the console, without the expected ones. */
  readonly consoleErrors: string[] = [];
  private readonly sizes = new Map<string, Promise<number>>();
  private opened: Page | undefined;
  /** Shows copies of pages with script. */
  private copies: BrowserContext | undefined;

  private constructor(
    private readonly browser: Browser,
    readonly context: BrowserContext,
    private readonly baseUrl: string,
    private readonly look: Look,
  ) {
    this.t = messagesOf(look.language);
  }

  /** `baseUrl` with `localhost` as host, for which browsers keep Secure cookies without https. */
  static async open(browser: Browser, baseUrl: string, look: Look): Promise<PortalBrowser> {
    const user = new PortalBrowser(
      browser,
      await browser.newContext(look.options),
      baseUrl.replace('127.0.0.1', 'localhost'),
      look,
    );
    await user.openTab();
    return user;
  }

  get page(): Page {
    if (!this.opened) throw new Error('the browser has no tab');
    return this.opened;
  }

  get hasScript(): boolean {
    return this.look.options.javaScriptEnabled !== false;
  }

  /** Opens a new tab in place of the present one, which is discarded. */
  async openTab(): Promise<void> {
    await this.opened?.close();
    const page = await this.context.newPage();
    page.on('console', (message) => {
      if (!EXPECTED.test(message.text())) this.consoleErrors.push(message.text());
    });
    page.on('pageerror', (error) => this.consoleErrors.push(error.message));
    page.on('response', (response) => {
      const size = response.body().then(
        ({ length }) => length,
        // A redirect has no body.
        () => 0,
      );
      if (!this.sizes.has(response.url())) this.sizes.set(response.url(), size);
    });
    this.opened = page;
  }

  urlOf(path: string): string {
    return this.baseUrl + path;
  }

  async visit(path: string): Promise<void> {
    await this.page.goto(this.urlOf(path));
  }

  async close(): Promise<void> {
    await this.copies?.close();
    await this.context.close();
  }

  heading(): Promise<string | null> {
    return this.page.getByRole('heading', { level: 1 }).textContent();
  }

  alert(): Promise<string | null> {
    return this.page.getByRole('alert').textContent();
  }

  /** Fills in the sign-in page. */
  async signIn(id: string, password: string): Promise<void> {
    await this.page.locator('#id').fill(id);
    await this.page.locator('#pw').fill(password);
    await this.press(this.t.signIn.title);
  }

  /** Enters a code of any kind and presses the button of the form. */
  async enterCode(code: string): Promise<void> {
    await enterCode(this.page, code);
    await this.settle();
  }

  /**
   * Presses the button, or follows the link, with this text, and waits until the scripts of the next page have run. If a
   * script leads there later, `reach` waits for that page.
   */
  async press(text: string): Promise<void> {
    await this.target(text).click();
    await this.settle();
  }

  /** Waits for the page; without script, the page of a form leads on to the page at its own address. */
  private settle(): Promise<void> {
    return settled(this.page);
  }

  /** Waits for the page with this heading, to which a script may lead, and until its own scripts have run. */
  async reach(heading: string): Promise<void> {
    await this.page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
    await this.page.waitForLoadState();
  }

  target(text: string): Locator {
    const { page } = this;
    const options = { name: text, exact: true };
    return page.getByRole('button', options).or(page.getByRole('link', options));
  }

  /** An authenticator app that has read the pixels of the QR code. */
  async scan(): Promise<AuthenticatorApp> {
    const { width, height, data } = PNG.sync.read(await this.page.locator('img.qr').screenshot());
    return AuthenticatorApp.scan(decodeQr({ width, height, data: new Uint8Array(data) }));
  }

  /** The secret that the page shows for typing. */
  async typedSecret(): Promise<string> {
    return ((await this.page.locator('#secret').textContent()) ?? '').replaceAll(' ', '');
  }

  async backupCodes(): Promise<readonly string[]> {
    return this.page.locator('#backup-codes li').allTextContents();
  }

  /** Asserts everything that holds on every page, in every look; `name` tells the page in a failure. */
  async check(name: string): Promise<void> {
    const told = `${name} on ${this.look.name}`;
    // Without its style sheet, nothing holds.
    await this.page.waitForLoadState();
    expect(await this.page.locator('html').getAttribute('lang'), told).toBe(this.t.tag);
    expect(
      await this.page.evaluate(`(${TOO_SMALL})(${JSON.stringify([MIN_FONT, MIN_INPUT_HEIGHT, MIN_TARGET])})`),
      told,
    ).toEqual([]);
    expect(await this.page.evaluate<number>('document.documentElement.scrollWidth'), told).toBeLessThanOrEqual(
      this.look.options.viewport?.width ?? 0,
    );
    expect(await this.bytes(), told).toBeLessThan(MAX_BYTES);
    expect(await this.accessibilityProblems(), told).toEqual([]);
    expect(this.consoleErrors, told).toEqual([]);
  }

  /** Bytes of this page and of the files that it names. */
  private async bytes(): Promise<number> {
    const kinds = ['link[rel=stylesheet]', 'img[src]', ...(this.hasScript ? ['script[src]'] : [])].join();
    const files = await this.page.evaluate<readonly string[]>(
      `[...document.querySelectorAll('${kinds}')].map((each) => each.href || each.src)`,
    );
    const own = [...new Set(files)].filter((url) => !url.startsWith('data:'));
    const sizes = await Promise.all(own.map(async (url) => (await this.sizes.get(url)) ?? Infinity));
    return sizes.reduce((sum, size) => sum + size, Buffer.byteLength(await this.page.content()));
  }

  /** What axe reports. Without script its timers do not run, so a copy of the page is checked where they do. */
  private async accessibilityProblems(): Promise<readonly string[]> {
    if (this.hasScript) return problemsOf(this.page);
    const body = await this.page.content();
    this.copies ??= await this.browser.newContext({ ...this.look.options, javaScriptEnabled: true });
    const copy = await this.copies.newPage();
    await copy.route('**/*.js', (route) => route.abort());
    await copy.route(this.page.url(), (route) => route.fulfill({ contentType: 'text/html', body }));
    await copy.goto(this.page.url());
    const problems = await problemsOf(copy);
    await copy.close();
    return problems;
  }
}

/** Enters a code; the script of the page sends six digits by itself. */
export async function enterCode(page: Page, code: string): Promise<void> {
  const sendsItself = await page.locator('[data-sends=code]:not([hidden])').count();
  const field = page.locator('#code');
  if (sendsItself === 0 || !/^\d{6}$/.test(code.replaceAll(' ', ''))) {
    await field.fill(code);
    await page.locator('form:has(#code) button[type=submit]').click();
    return;
  }
  const sent = page.waitForEvent('framenavigated');
  await field.fill(code);
  await sent;
}

/** Waits until a page has loaded that does not lead on by itself. */
export async function settled(page: Page): Promise<void> {
  await page.waitForLoadState();
  await page.locator('meta[http-equiv=refresh]').waitFor({ state: 'detached' });
  await page.waitForLoadState();
}

/** What axe reports about a page. */
export async function problemsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<AxeResult>('axe.run()');
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${help}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}

/** Runs in the page: inputs and targets that are too small, as texts. */
const TOO_SMALL = `([font, inputHeight, target]) => {
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
  const shown = (selector) => [...document.querySelectorAll(selector)].filter(isShown);
  const tell = (element, what) => what + ': ' + element.outerHTML.slice(0, 120);
  const isText = (input) => !['checkbox', 'radio', 'hidden', 'file'].includes(input.type);
  const problems = [];
  for (const input of shown('input, select, textarea').filter(isText)) {
    if (parseFloat(getComputedStyle(input).fontSize) < font) problems.push(tell(input, 'small type'));
    if (input.getBoundingClientRect().height < inputHeight) problems.push(tell(input, 'low input'));
  }
  for (const element of shown('a, button, input, select, textarea, summary')) {
    // A link that only keyboard users see is beside the page until it has the focus.
    if (element.classList.contains('skip')) continue;
    const { width, height } = element.getBoundingClientRect();
    if (width < target || height < target) problems.push(tell(element, 'small target ' + width + '×' + height));
  }
  return problems;
}`;
