// npm run screens: walks through the pages of a service of its own and renews the pictures in docs/screens.
import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PNG } from 'pngjs';
import { launchChromium, plugSecurityKey, readQr } from './demo/chromium.mjs';
import { Complaint } from './demo/complaint.mjs';
import { Mailbox } from './demo/mailbox.mjs';
import { Phone } from './demo/phone.mjs';
import { runCli, startedService } from './demo/stand.mjs';

const FOLDER = fileURLToPath(new URL('../docs/screens/', import.meta.url));
const ARGUMENTS = [
  ...['--app.branding.name=Northwind', '--app.branding.accent-color=#1f6f5c'],
  ...['--app.branding.help-url=https://help.northwind.example/', '--app.branding.help-contact=02-123-4567'],
  ...['--app.branding.legal-links.Privacy=https://northwind.example/privacy'],
  '--app.security.mfa.trusted-device.enabled=true',
  // A user without a second factor sees the days until policy demands one.
  ...['--app.security.mfa.policy=required', `--app.security.mfa.policy-from=${inDays(12).toISOString()}`],
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
  { name: 'phone-light', options: PHONE, user: 'user1', administrator: 'administrator1' },
  { name: 'phone-dark', options: { ...PHONE, colorScheme: 'dark' }, user: 'user2', only: DARK },
  { name: 'desktop-light', options: DESKTOP, user: 'user3', administrator: 'administrator2' },
  { name: 'desktop-dark', options: { ...DESKTOP, colorScheme: 'dark' }, user: 'user4', only: DARK },
  { name: 'phone-korean', options: { ...PHONE, locale: 'ko-KR' }, user: 'user5', only: KOREAN },
];

async function run() {
  const mailbox = await Mailbox.start();
  const service = await startedService([...ARGUMENTS, ...mailbox.settings]);
  const browser = await launchChromium();
  try {
    rmSync(FOLDER, { recursive: true, force: true });
    mkdirSync(FOLDER, { recursive: true });
    for (const look of LOOKS) await walk(browser, service, look);
    for (const look of LOOKS.filter(({ administrator }) => administrator)) await usePasskey(browser, service, look);
    for (const look of LOOKS.filter(({ administrator }) => administrator)) {
      await administer(browser, service, look);
      await recover(browser, service, look, mailbox);
    }
  } finally {
    await browser.close();
    await service.stop();
    await mailbox.stop();
  }
}

/** Enrols a user, looks at the account, signs out, and locks the account. */
async function walk(browser, service, look) {
  const { user } = look;
  const password = await createUser(service, user, ['--email', `${user}@northwind.example`]);
  await runCli(['users', 'require-mfa', user], service);
  const visitor = await Visitor.open(browser, service, look);

  await visitor.visit('');
  await visitor.picture('sign-in');
  await visitor.signIn(user, 'not the password');
  await visitor.picture('sign-in-wrong-password');
  await visitor.signIn(user, password);
  await visitor.picture('enrolment');
  const phone = await visitor.scan();
  await visitor.picture('enrolment-qr-code');
  await visitor.enter(phone.code());
  await visitor.picture('backup-codes');
  await visitor.page.locator('a.primary').click();
  await visitor.picture('home');
  await visitor.visit('portal/security');
  await visitor.picture('account-security');
  await visitor.visit('portal/security/activity');
  await visitor.picture('activity');
  await visitor.page.locator('header form button').click();
  await visitor.signIn(user, password);
  await visitor.picture('code');
  await visitor.page.locator('.switch a:not([aria-current])').click();
  await visitor.picture('backup-code');
  for (const code of phone.wrongCodes(5)) await visitor.enter(code);
  await visitor.picture('lock');
  await visitor.visit('nowhere');
  await visitor.picture('not-found');
  await visitor.visit('portal/forgot');
  await visitor.picture('forgot-password');
  await visitor.close();
}

/** Sets up a passkey in place of an app, and signs in with it. */
async function usePasskey(browser, service, look) {
  const id = `friend-of-${look.user}`;
  const password = await createUser(service, id, []);
  await runCli(['users', 'require-mfa', id], service);
  const visitor = await Visitor.open(browser, service, look);
  const { page } = visitor;
  await plugSecurityKey(page);

  await visitor.visit('');
  await visitor.signIn(id, password);
  await Promise.all([page.waitForURL(/\/2fa\/portal\/passkey$/), visitor.submit()]);
  await visitor.picture('backup-codes-passkey');
  await Promise.all([page.waitForURL(/\/$/), visitor.submit()]);
  await page.locator('header form button').click();
  await visitor.signIn(id, password);
  await visitor.picture('passkey');
  await visitor.close();
}

/** Walks through the pages of an administrator, who looks at the locked user of the same look. */
async function administer(browser, service, look) {
  const { user, administrator } = look;
  const password = await createUser(service, administrator, ['--roles', 'ROLE_ADMIN']);
  const visitor = await Visitor.open(browser, service, look);
  const { page } = visitor;

  await visitor.visit('');
  await visitor.signIn(administrator, password);
  const phone = await visitor.scan();
  await visitor.enter(phone.code());
  await visitor.visit('portal/admin');
  await visitor.picture('overview');
  await visitor.visit('portal/admin/users');
  await visitor.picture('users');
  await page.getByRole('link', { name: user, exact: true }).click();
  const userPage = page.url();
  await visitor.picture('user');
  for (const part of ['access', 'activity', 'disable']) {
    await page.goto(`${userPage}/${part}`);
    await visitor.picture(`user-${part}`);
  }
  await visitor.visit('portal/admin/new-user');
  await visitor.picture('new-user');
  await visitor.visit('portal/admin/import');
  const rows = `login_id,password,email\n${user}-colleague,${password},colleague@northwind.example\n${user}-other,x,\n`;
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(rows) });
  await page.locator('main form button[type=submit]').first().click();
  // The script shows the preview in place.
  await page.getByRole('status').waitFor();
  await visitor.picture('import');
  await visitor.visit('portal/admin/events');
  await visitor.picture('events');
  await visitor.close();
}

/** Opens the links of mails to the locked user of the look, and those of a new user. */
async function recover(browser, service, look, mailbox) {
  const { user } = look;
  const address = `${user}@northwind.example`;
  const visitor = await Visitor.open(browser, service, look);

  const { html, match: unlock } = await mailbox.next(address, linkTo('unlock'));
  await visitor.show(html);
  await visitor.picture('mail-locked');
  await visitor.visit(`portal/unlock?token=${unlock[1]}`);
  await visitor.picture('unlock');
  await visitor.visit(`portal/not-me?token=${linkTo('not-me').exec(html)[1]}`);
  await visitor.picture('not-me');
  await visitor.visit('portal/forgot');
  await visitor.page.locator('#id').fill(user);
  await visitor.submit();
  await visitor.picture('forgot-password-sent');
  const { match: reset } = await mailbox.next(address, linkTo('reset'));
  await visitor.visit(`portal/reset?token=${reset[1]}`);
  await visitor.picture('reset');

  const printed = await runCli(['users', 'invite', `guest-of-${user}`, '--print-link'], service);
  await visitor.visit(`portal/invitation?token=${linkTo('invitation').exec(printed)[1]}`);
  await visitor.picture('invitation');
  const colleague = `colleague-of-${user}`;
  const password = await createUser(service, colleague, []);
  await visitor.visit('');
  await visitor.signIn(colleague, password);
  await visitor.picture('home-before-policy');
  await visitor.close();
}

/** A link of a mail, whose group is its token. */
function linkTo(page) {
  return new RegExp(`/portal/${page}\\?token=([\\w-]{43})`);
}

function inDays(days) {
  return new Date(Date.now() + days * 86_400_000);
}

/** Creates a user and returns the password. */
async function createUser({ folder }, id, options) {
  const password = randomBytes(12).toString('base64url');
  await runCli(['users', 'add', id, '--password-stdin', ...options], { folder, input: `${password}\n` });
  return password;
}

/** A browser in one look, which takes the pictures of that look. */
class Visitor {
  constructor(context, page, url, { name, only }) {
    Object.assign(this, { context, page, name, only, base: base(url) });
  }

  static async open(browser, { url }, look) {
    // Browsers keep Secure cookies of localhost without https.
    const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'Asia/Seoul', ...look.options });
    return new Visitor(context, await context.newPage(), url, look);
  }

  close() {
    return this.context.close();
  }

  visit(path) {
    return this.page.goto(new URL(path, this.base).href);
  }

  /** Shows a mail as a mail program does. */
  async show(html) {
    await this.page.goto('about:blank');
    await this.page.setContent(html);
  }

  async picture(title) {
    if (this.only === undefined || this.only.includes(title)) await take(this.page, `${title}-${this.name}`);
  }

  submit() {
    return this.page.locator('main form button.primary[type=submit]').first().click();
  }

  async signIn(user, password) {
    await this.page.locator('#id').fill(user);
    await this.page.locator('#pw').fill(password);
    await this.submit();
  }

  async enter(code) {
    await this.page.locator('#code').fill(code);
    await this.submit();
  }

  /** Begins the setup, whose QR code the phone reads. */
  async scan() {
    await this.page.locator('form[action$="/2fa/portal/setup"] button').click();
    return new Phone(await readQr(this.page.locator('img.qr')));
  }
}

function base(url) {
  return `${url.replace('127.0.0.1', 'localhost').replace(/\/$/, '')}/`;
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

try {
  await run();
} catch (error) {
  if (!(error instanceof Complaint)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
