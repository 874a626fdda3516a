import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../support/programs/free-port.js';
import { HttpClient } from '../../support/http/http-client.js';
import { KeptProcess } from '../../support/programs/kept-process.js';
import { MovedClock } from '../../support/programs/moved-clock.js';
import { runCli, startService } from '../../support/programs/service.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';
import '../../support/runner/matchers.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const DEMO = fileURLToPath(new URL('../../../tools/demo/demo.mjs', import.meta.url));
/** The demo waits for the next one-time code, at most 30 seconds. */
const LIMIT_MILLIS = 120_000;

/** Expected content of each chapter: a pattern of its title, then commands and requests with their status. */
const CHAPTERS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/creates a user/, ['$ users add']],
  [/password is sufficient/, ['POST /login 200']],
  [/sets up an authenticator/, ['POST /2fa/setup 201']],
  [/confirms/, ['POST /2fa/confirm 200', 'GET /2fa 200']],
  [
    /second login/,
    [
      'POST /login 200',
      'GET /me 401',
      'POST /login/2fa 401',
      'POST /login/2fa 200',
      'GET /me/settlement 200',
      'GET /me 401',
    ],
  ],
  [/backup code/, ['POST /login 200', 'POST /login/2fa 200', 'POST /login 200', 'POST /login/2fa 401']],
  [/lock the second step/, [...Array.from({ length: 4 }, () => 'POST /login/2fa 401'), 'POST /login/2fa 429']],
  [/access token is refreshed/, ['POST /token/refresh 200', 'GET /2fa 200']],
  [/removes the lock/, ['$ users unlock']],
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
  // Builds the service once for the whole run, so that the demo does not build it again.
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

/** Commands, and requests with the status of their response. */
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
  expect(output.trimEnd()).toMatch(/End of the story\.$/);
}

/** The secret appears only in the chapter that sets up the app; tokens, cookies and QR codes are truncated. */
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
    'npm run demo shows every chapter of a login with two factors and removes its folder',
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

  it(
    'the demo with --url shows every chapter on a running service and disables its user',
    { timeout: LIMIT_MILLIS },
    async () => {
      const clock = new MovedClock();
      const { nodeArguments } = clock;
      const service = await startService({ nodeArguments });
      onTestFinished(() => service.release());
      // Late in a step, so that the next code is soon valid.
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
      expectWholeStory(stdout.replace(/^.* remains, disabled\.\n/m, ''));
      expectNothingTooLong(stdout);
      const [, id = '', pw = ''] = /"id": "(demo-\S+)",\s+"pw": "(\S+)"/.exec(stdout) ?? [];
      expect(stdout).toContain(`The user ${id} remains, disabled.`);
      const answer = await new HttpClient(service.url).post('/login', { id, pw });
      expect(answer).toBeRefused(401, 'INVALID_CREDENTIALS');
    },
  );

  it.each([
    [
      'no service runs at the address',
      async () => ['--url', `http://127.0.0.1:${await freePort()}`],
      /^No response from/,
    ],
    ['the address is invalid', () => ['--url', 'harbour'], /^--url must be an address/],
    ['--folder is given without --url', () => ['--folder', '.'], /^--folder requires --url/],
  ])('the demo exits with 1 and one sentence if %s', async (_, args, sentence) => {
    const { code, stdout, stderr } = await demo(process.execPath, [DEMO, ...(await args())], {});

    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(sentence);
    expect(stderr.trimEnd()).not.toContain('\n');
  });
});
