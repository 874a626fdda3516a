import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../support/free-port.js';
import { HttpClient } from '../support/http-client.js';
import { KeptProcess } from '../support/kept-process.js';
import { MovedClock } from '../support/moved-clock.js';
import { runCli, startService } from '../support/service.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import '../support/matchers.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const DEMO = fileURLToPath(new URL('../../tools/demo/demo.mjs', import.meta.url));
/** The demo waits for the next code of the phone, at most half a minute. */
const LIMIT_MILLIS = 120_000;

/** What each chapter has to show: a word of its title, then commands and requests, each with its answer. */
const CHAPTERS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/creates a user/, ['$ users add']],
  [/password is enough/, ['POST /login 200']],
  [/sets up an authenticator/, ['POST /2fa/setup 201']],
  [/confirms/, ['POST /2fa/confirm 200', 'GET /2fa 200']],
  [
    /second login/,
    ['POST /login 200', 'GET /me 401', 'POST /login/2fa 401', 'POST /login/2fa 200', 'GET /me/settlement 200'],
  ],
  [/backup code/, ['POST /login 200', 'POST /login/2fa 200', 'POST /login 200', 'POST /login/2fa 401']],
  [/lock the second step/, [...Array.from({ length: 4 }, () => 'POST /login/2fa 401'), 'POST /login/2fa 429']],
  [/access token is renewed/, ['POST /token/refresh 200', 'GET /2fa 200']],
  [/ends the lock/, ['$ users unlock']],
  [/Step-up/, ['POST /2fa/verify 200', 'GET /me 200']],
  [/Logout/, ['POST /logout 204', 'GET /me 401']],
];

interface Chapter {
  readonly title: string;
  readonly text: string;
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function demo(command: string, args: readonly string[], more: Readonly<Record<string, string>>): Promise<Ended> {
  // Built once for the whole run, so that the demo finds nothing to build.
  await runCli(['--help']);
  const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', TZ: 'UTC', ...more };
  const started = await KeptProcess.start(command, args, { env, cwd: ROOT });
  onTestFinished(async () => {
    await started.stop();
  });
  const { code } = await started.exit;
  return { code, stdout: started.stdout, stderr: started.stderr };
}

function chaptersOf(output: string): readonly Chapter[] {
  return output
    .split(/^(?=\d+\. )/m)
    .slice(1)
    .map((text) => ({ title: text.replace(/\n.*/s, ''), text }));
}

/** Commands, and requests with the status of the answer that follows. */
function stepsOf({ text }: Chapter): readonly string[] {
  const steps = text.matchAll(/^(?:\$ npm run cli -- (\S+ \S+)|→ (\S+ \S+)$[^→]*?^← (\d{3})$)/gm);
  return Array.from(steps, ([, command, request, status]) =>
    command === undefined ? `${request} ${status}` : `$ ${command}`,
  );
}

function expectWholeStory(output: string): void {
  const chapters = chaptersOf(output);
  expect(chapters.map(({ title }) => title)).toEqual(CHAPTERS.map(([title]) => expect.stringMatching(title) as string));
  expect(chapters.map(stepsOf)).toEqual(CHAPTERS.map(([, steps]) => steps));
  expect(output.match(/^→/gm)).toHaveLength(output.match(/^←/gm)?.length ?? 0);
  expect(output.trimEnd()).toMatch(/That was the whole story\.$/);
}

/** The secret is told once, for the phone; tokens, cookies and pictures only by their beginning. */
function expectNothingTooLong(output: string): void {
  const [secret = ''] = /[A-Z2-7]{32}/.exec(output) ?? [];
  expect(chaptersOf(output).filter(({ text }) => text.includes(secret))).toEqual([chaptersOf(output)[2]]);
  const long = output
    .replaceAll(/otpauth:\/\/\S+/g, '')
    .split('\n')
    .filter((line) => /[\w.~+=-]{41}/.test(line));
  expect(long).toEqual([]);
  for (const name of ['access_token', 'mfa_token', 'qr']) {
    expect(output).toMatch(new RegExp(`"${name}": "\\S{16}… \\(\\d+ characters\\)"`));
  }
  expect(output).toMatch(/set-cookie: refresh_token=\S{16}… \(\d+ characters\); .*HttpOnly/i);
  expect(output).toMatch(/Authorization: Bearer \S{16}… \(\d+ characters\)$/m);
}

describe('npm run demo', () => {
  it(
    'tells the whole story of a login with two factors, and leaves nothing behind',
    { timeout: LIMIT_MILLIS },
    async () => {
      const folder = temporaryFolder('demo');

      const { code, stdout, stderr } = await demo('npm', ['run', '--silent', 'demo'], { TMPDIR: folder });

      expect([code, stderr]).toEqual([0, '']);
      expectWholeStory(stdout);
      expectNothingTooLong(stdout);
      const [, , setup] = chaptersOf(stdout);
      expect(setup?.text).toMatch(/(?:^ *[█▀▄ ]{25,}\n){12,}/m);
      expect(setup?.text).toMatch(/"otpauth_uri": "otpauth:\/\/totp\/\S+secret=[A-Z2-7]{32}/);
      expect(stdout).toMatch(/^ {2}retry-after: \d+$/m);
      expect(readdirSync(folder).filter((name) => name.startsWith('login-demo-'))).toEqual([]);
    },
  );

  it('tells it of a service that runs, whose user it leaves disabled', { timeout: LIMIT_MILLIS }, async () => {
    const clock = new MovedClock();
    const { nodeArguments } = clock;
    const service = await startService({ nodeArguments });
    onTestFinished(() => service.kill());
    // Late in a step, so that the next code comes soon.
    clock.advance(7);
    clock.run();

    const { code, stdout, stderr } = await demo(
      process.execPath,
      [DEMO, '--url', service.url, '--folder', service.cwd],
      {
        NODE_OPTIONS: nodeArguments.join(' '),
      },
    );

    expect([code, stderr]).toEqual([0, '']);
    expectWholeStory(stdout.replace(/^.* stays behind, disabled\.\n/m, ''));
    expectNothingTooLong(stdout);
    const [, id = '', pw = ''] = /"id": "(demo-\S+)",\s+"pw": "(\S+)"/.exec(stdout) ?? [];
    expect(stdout).toContain(`The user ${id} stays behind, disabled.`);
    const answer = await new HttpClient(service.url).post('/login', { id, pw });
    expect(answer).toBeRefused(401, 'INVALID_CREDENTIALS');
  });

  it.each([
    ['nobody answers at the address', async () => ['--url', `http://127.0.0.1:${await freePort()}`], /^No answer from/],
    ['the address is none', () => ['--url', 'harbour'], /^--url must be an address/],
    ['there is a folder without an address', () => ['--folder', '.'], /^--folder belongs to --url/],
  ])('says in a sentence that %s', async (_, args, sentence) => {
    const { code, stdout, stderr } = await demo(process.execPath, [DEMO, ...(await args())], {});

    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(sentence);
    expect(stderr.trimEnd()).not.toContain('\n');
  });
});
