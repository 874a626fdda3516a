// npm run first-use: does what "First use" in the README says, in a new clone, and measures it: the commands of its shell
// blocks, and then its steps in Chromium, where the bold words are the buttons to press. Fails above two minutes.
// `-- --warm` uses npm's cache of this machine; without it, all packages are downloaded, as for a new user.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchChromium, readQr } from './demo/chromium.mjs';
import { Complaint } from './demo/complaint.mjs';
import { Phone } from './demo/phone.mjs';

const ROOT = join(import.meta.dirname, '..');
const SECTION = /^## First use\n(.*?)(?=^## )/ms;
const SHELL_BLOCK = /^```sh\n(.*?)^```/gms;
const LIMIT_SECONDS = 120;
const COMMAND_LIMIT_MILLIS = 10 * 60_000;
const STOP_LIMIT_MILLIS = 30_000;

const isWarm = process.argv.includes('--warm');
/** What ends everything that was started, the newest first. */
const cleanups = [];
const times = [];

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => void cleanUp().then(() => process.exit(1)));
}
try {
  await firstUse();
} catch (error) {
  if (!(error instanceof Complaint)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  await cleanUp();
}

async function firstUse() {
  const folder = mkdtempSync(join(tmpdir(), 'login-first-use-'));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const clone = join(folder, 'clone');
  const revision = execFileSync('git', ['-C', ROOT, 'rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  await timed(`git clone (${revision})`, () => run(`git clone --quiet '${ROOT}' '${clone}'`, { cwd: folder }));

  const steps = stepsOf(readFileSync(join(clone, 'README.md'), 'utf8'));
  const { url, settings } = await addressFor(steps.url);
  const env = { ...environment(), ...settings, ...(!isWarm && { npm_config_cache: join(folder, 'npm-cache') }) };
  let output = '';
  for (const command of steps.commands) {
    output += await timed(command, () => run(command, { cwd: clone, env, until: steps.credentials }));
  }
  const [, user, password] = steps.credentials.exec(output) ?? [];
  if (user !== steps.user) throw new Complaint(`The README says that the first user is ${steps.user}.`);

  const browser = await timed('start the browser', launchChromium);
  cleanups.push(() => browser.close());
  await follow(await browser.newContext({ locale: 'en-US' }), { ...steps, url, password });
  report(settings);
}

/** What the section of the README tells its reader to do. */
function stepsOf(readme) {
  const section = SECTION.exec(readme)?.[1];
  if (section === undefined) throw new Complaint('The README has no section "First use".');
  const commands = Array.from(section.matchAll(SHELL_BLOCK), ([, block]) => block.trim().split('\n')).flat();
  const url = /^1\. Open <(http:\S+)>/m.exec(section)?.[1];
  const user = /the username `([^`]+)`/.exec(section)?.[1];
  const buttons = Array.from(section.matchAll(/press\s+\*\*([^*]+)\*\*/gi), ([, label]) => label);
  if (commands.length === 0 || url === undefined || user === undefined || buttons.length === 0) {
    throw new Complaint('"First use" in the README must have commands, an address, a username and buttons.');
  }
  return { commands, url, user, buttons, credentials: /First user: (\S+) with password (\S+)/ };
}

/** The address of the README, or one with a free port; the service is never reachable from another machine. */
async function addressFor(url) {
  const address = new URL(url);
  const settings = { SERVER_ADDRESS: '127.0.0.1' };
  if ((await listenOnce(Number(address.port))) === undefined) {
    const port = await listenOnce(0);
    address.port = String(port);
    settings.SERVER_PORT = String(port);
  }
  return { url: address.href, settings };
}

/** The port, if it is free. */
async function listenOnce(port) {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return undefined;
  }
  const { port: found } = server.address();
  server.close();
  await once(server, 'close');
  return found;
}

/** The environment of a user's terminal, without what npm adds to it for a script. */
function environment() {
  const isOfNpm = (name) => /^npm_|^(?:INIT_CWD|NODE)$/i.test(name);
  const own = Object.entries(process.env).filter(([name]) => !isOfNpm(name));
  const path = (process.env.PATH ?? '').split(':').filter((part) => !/\/node_modules\/|\/node-gyp-bin$/.test(part));
  return { ...Object.fromEntries(own), PATH: path.join(':') };
}

/** Runs a command until it ends, or until its output matches; in this case it goes on until the clean-up. */
async function run(command, { cwd, env = environment(), until }) {
  const child = spawn('bash', ['-c', command], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  cleanups.push(() => stop(child, ended));
  let output = '';
  let timer;
  const matched = new Promise((resolve, reject) => {
    timer = setTimeout(() => reject(new Complaint(`"${command}" takes too long:\n${output}`)), COMMAND_LIMIT_MILLIS);
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
        if (until?.test(output)) resolve();
      });
    }
  });
  const code = await Promise.race([matched, ended.then(([number]) => number)]);
  clearTimeout(timer);
  if (code !== undefined && code !== 0) throw new Complaint(`"${command}" ended with ${code}:\n${output}`);
  return output;
}

/** Ends a command with all processes that it started. */
async function stop(child, ended) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const kill = (signal) => {
    try {
      process.kill(-child.pid, signal);
    } catch {
      // The processes have ended meanwhile.
    }
  };
  const timer = setTimeout(() => kill('SIGKILL'), STOP_LIMIT_MILLIS);
  kill('SIGTERM');
  await ended;
  clearTimeout(timer);
}

/** Presses the buttons in their order; before each, fills in the fields of the page as its reader does. */
async function follow(context, { url, user, password, buttons }) {
  const page = await context.newPage();
  let phone;
  await timed(`open ${url}`, () => page.goto(url));
  for (const label of buttons) {
    await timed(`press "${label}"`, async () => {
      if (await page.locator('img.qr').count()) phone = new Phone(await readQr(page.locator('img.qr')));
      await fillIn(page, '#id', () => user);
      await fillIn(page, '#pw', () => password);
      await fillIn(page, '#code', () => phone.code());
      const options = { name: label, exact: true };
      const target = page.getByRole('button', options).or(page.getByRole('link', options));
      if ((await target.count()) !== 1) throw await complaintOf(page, `There is no button "${label}"`);
      await Promise.all([page.waitForEvent('load'), target.click()]);
    });
  }
  if (page.url() !== url) throw await complaintOf(page, `The last step leads to ${page.url()}, not to ${url}`);
  const tab = await context.newPage();
  await tab.goto(new URL('session', url).href);
  const { amr } = JSON.parse(await tab.locator('body').innerText());
  if (amr.join() !== 'pwd,otp') throw new Complaint(`The session has the factors "${amr.join()}", not "pwd,otp".`);
}

async function fillIn(page, field, value) {
  if (await page.locator(field).count()) await page.locator(field).fill(value());
}

async function complaintOf(page, what) {
  return new Complaint(`${what}. The browser shows:\n${await page.locator('body').innerText()}`);
}

async function timed(name, step) {
  const begin = performance.now();
  const result = await step();
  times.push({ name, seconds: (performance.now() - begin) / 1000 });
  process.stdout.write(`${line(name, times.at(-1).seconds)}\n`);
  return result;
}

function report(settings) {
  const total = times.reduce((sum, { seconds }) => sum + seconds, 0);
  const given = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  process.stdout.write(`${line('total', total)}
${line('left of two minutes to read, type and scan', LIMIT_SECONDS - total)}
Decisions of the user: 1, the authenticator app. Beyond the README: ${given.join(' ')}; npm's cache was ${isWarm ? 'as it is' : 'empty'}.
`);
  if (total > LIMIT_SECONDS) throw new Complaint(`The first use took more than ${LIMIT_SECONDS} seconds.`);
}

function line(name, seconds) {
  return `${seconds.toFixed(1).padStart(7)} s  ${name}`;
}

async function cleanUp() {
  while (cleanups.length > 0) await cleanups.pop()();
}
