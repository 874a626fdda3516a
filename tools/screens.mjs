// npm run screens: walks through the pages of a service of its own and renews the pictures in docs/screens.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { PNG } from 'pngjs';
import decodeQr from 'qr/decode.js';
import { Complaint } from './demo/complaint.mjs';
import { Phone } from './demo/phone.mjs';
import { runCli, startedService } from './demo/stand.mjs';

const FOLDER = fileURLToPath(new URL('../docs/screens/', import.meta.url));
const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const ARGUMENTS = [
  ...['--app.branding.name=Northwind', '--app.branding.accent-color=#1f6f5c'],
  ...['--app.branding.help-url=https://help.northwind.example/', '--app.branding.help-contact=02-123-4567'],
  ...['--app.branding.legal-links.Privacy=https://northwind.example/privacy'],
  '--app.security.mfa.trusted-device.enabled=true',
];
/** What the list of sessions calls these browsers. */
const PHONE_AGENT =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36';
const DESKTOP_AGENT =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const PHONE = {
  ...{ viewport: { width: 390, height: 844 }, deviceScaleFactor: 1.5, isMobile: true, hasTouch: true },
  userAgent: PHONE_AGENT,
};
const DESKTOP = { viewport: { width: 1280, height: 800 }, userAgent: DESKTOP_AGENT };
const DARK = ['sign-in', 'enrolment-qr-code', 'home', 'code'];
const KOREAN = ['sign-in', 'enrolment', 'backup-codes', 'account-security', 'lock'];

/** The looks of the pictures, each with another user; `only` names the pages where the look matters. */
const LOOKS = [
  { name: 'phone-light', options: PHONE, user: 'user1' },
  { name: 'phone-dark', options: { ...PHONE, colorScheme: 'dark' }, user: 'user2', only: DARK },
  { name: 'desktop-light', options: DESKTOP, user: 'user3' },
  { name: 'desktop-dark', options: { ...DESKTOP, colorScheme: 'dark' }, user: 'user4', only: DARK },
  { name: 'phone-korean', options: { ...PHONE, locale: 'ko-KR' }, user: 'user5', only: KOREAN },
];

try {
  await run();
} catch (error) {
  if (!(error instanceof Complaint)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

async function run() {
  const service = await startedService(ARGUMENTS);
  const browser = await chromium.launch({
    executablePath: browserProgram(),
    args: ['--no-sandbox', '--disable-lcd-text'],
  });
  try {
    rmSync(FOLDER, { recursive: true, force: true });
    mkdirSync(FOLDER, { recursive: true });
    for (const look of LOOKS) await walk(browser, service, look);
  } finally {
    await browser.close();
    await service.stop();
  }
}

/** Enrols a user, looks at the account, signs out, and locks the account. */
async function walk(browser, { url, folder }, { name, options, user, only }) {
  const password = randomBytes(12).toString('base64url');
  await runCli(['users', 'add', user, '--password-stdin'], { folder, input: `${password}\n` });
  await runCli(['users', 'require-mfa', user], { folder });
  // Browsers keep Secure cookies of localhost without https.
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'Asia/Seoul', ...options });
  const page = await context.newPage();
  const picture = async (title) => {
    if (only === undefined || only.includes(title)) await take(page, `${title}-${name}`);
  };
  const submit = () => page.locator('main form button.primary[type=submit]').first().click();
  const signIn = async (pw) => {
    await page.locator('#id').fill(user);
    await page.locator('#pw').fill(pw);
    await submit();
  };
  const enter = async (code) => {
    await page.locator('#code').fill(code);
    await submit();
  };

  await page.goto(url.replace('127.0.0.1', 'localhost'));
  await picture('sign-in');
  await signIn('not the password');
  await picture('sign-in-wrong-password');
  await signIn(password);
  await picture('enrolment');
  await submit();
  const phone = new Phone(await read(page.locator('img.qr')));
  await picture('enrolment-qr-code');
  await enter(phone.code());
  await picture('backup-codes');
  await page.locator('a.primary').click();
  await picture('home');
  await page.goto(new URL('portal/security', base(url)).href);
  await picture('account-security');
  await page.goto(new URL('portal/security/activity', base(url)).href);
  await picture('activity');
  await page.locator('header form button').click();
  await signIn(password);
  await picture('code');
  await page.locator('.switch a:not([aria-current])').click();
  await picture('backup-code');
  for (const code of phone.wrongCodes(5)) await enter(code);
  await picture('lock');
  await page.goto(new URL('nowhere', base(url)).href);
  await picture('not-found');
  await context.close();
}

function base(url) {
  return `${url.replace('127.0.0.1', 'localhost').replace(/\/$/, '')}/`;
}

/** Content of a QR code, from its pixels. */
async function read(locator) {
  const { width, height, data } = PNG.sync.read(await locator.screenshot());
  return decodeQr({ width, height, data: new Uint8Array(data) });
}

/** Writes the picture of the whole page without transparency, which makes the file smaller. */
async function take(page, name) {
  // The outline of the focus depends on the moment.
  await page.evaluate('document.activeElement?.blur()');
  const picture = PNG.sync.read(await page.screenshot({ fullPage: true, animations: 'disabled', caret: 'hide' }));
  const file = `${FOLDER}${name}.png`;
  writeFileSync(file, PNG.sync.write(picture, { colorType: 2, deflateLevel: 9, filterType: -1 }));
  process.stdout.write(`${file}\n`);
}

function browserProgram() {
  for (const name of BROWSERS) {
    try {
      return execFileSync('which', [name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    } catch {
      continue;
    }
  }
  throw new Complaint(`None of these browsers is installed: ${BROWSERS.join(', ')}.`);
}
