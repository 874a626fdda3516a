import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { request } from '../../support/events/broker.js';
import { basic, HttpClient } from '../../support/http/http-client.js';
import { PASSWORD, storyOn } from '../../support/login/login-story.js';
import { startManaged } from '../../support/management/management.js';
import { sendRaw } from '../../support/http/raw-http.js';
import {
  type RunningService,
  runCli,
  runService,
  type ServiceOptions,
  startService,
} from '../../support/programs/service.js';
import { onSqlite } from '../../support/database/story-database.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';
import { waitUntil } from '../../support/runner/wait-until.js';
import '../../support/runner/matchers.js';

const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
const FIRST_USER = /^First user: .*$/;

const running: RunningService[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.release()));
});

async function start(options: ServiceOptions = {}): Promise<RunningService> {
  const service = await startService({ ...options, isAlone: true });
  running.push(service);
  return service;
}

/** All lines of standard output of the service until its shutdown. */
async function linesOf(service: RunningService): Promise<readonly string[]> {
  await waitUntil('the initial administrator is printed', () => service.stdout.includes('First user'));
  await service.stop();
  return service.stdout.trimEnd().split('\n');
}

function idsOf(stdout: string, text: string): readonly string[] {
  return stdout
    .split('\n')
    .flatMap((line) => (line.includes(text) ? (/\[([\w-]+)\] http /.exec(line)?.[1] ?? []) : []));
}

describe('service log', () => {
  it('standard output follows the configured pattern, except the line about the first user', async () => {
    const service = await start({ args: ['--logging.pattern.console=<%p|%c{0}|%t|%pid> %m%n'], env: { TZ: 'UTC' } });
    const lines = await linesOf(service);

    expect(lines.filter((line) => !/^<(?:INFO|WARN)\|\w+\|main\|\d+> \S/.test(line))).toEqual([
      expect.stringMatching(FIRST_USER),
    ]);
    expect(lines).toContainEqual(expect.stringMatching(/^<INFO\|start\|main\|\d+> Login service is ready: /));
    expect(lines.at(-1)).toContain('Stopped');
    expect(service.stderr).toBe('');
  });

  it('a pattern without a line break still ends each line', async () => {
    const lines = await linesOf(await start({ args: ['--logging.pattern.console=<%p> %m'] }));

    expect(lines.filter((line) => !/^<(?:INFO|WARN)> [^<]+$/.test(line))).toEqual([expect.stringMatching(FIRST_USER)]);
    expect(lines.at(-1)).toBe('<INFO> Stopped');
  });

  it('L3: each log line has a timestamp with the offset of its time zone', async () => {
    const lines = await linesOf(await start({ env: { TZ: 'Asia/Seoul' } }));

    expect(lines.filter((line) => !/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}\+09:00 (?:INFO|WARN) /.test(line))).toEqual([
      expect.stringMatching(FIRST_USER),
    ]);
  });

  it.each(['ecs', 'logstash', 'gelf'])('the structured format %s writes one JSON object per line', async (form) => {
    const lines = await linesOf(await start({ args: [`--logging.structured.format.console=${form}`] }));

    const objects = lines.filter((line) => !FIRST_USER.test(line)).map((line) => JSON.parse(line) as object);
    expect(objects.length).toBeGreaterThan(2);
  });

  it.each([
    ['%foo', 'unknown word %foo; the known words are %d %level %logger'],
    ['%d{qq}', 'the pattern letter q'],
    ['%clr(%p', 'the group has no closing )'],
  ])('an invalid log pattern with %s fails startup and config check', async (word, why) => {
    const argument = `--logging.pattern.console=%d ${word}`;

    const started = await runService({ args: [argument] });
    const checked = await runCli(['config', 'check', argument]);

    expect([started.exitCode, checked.exitCode]).toEqual([1, 3]);
    for (const { stderr } of [started, checked]) {
      expect(stderr).toContain('logging.pattern.console');
      expect(stderr).toContain(why);
    }
  });

  it('an uncaught error is logged last, with secrets masked, and the service exits with 1', async () => {
    const failing = "process.once('SIGUSR2', () => { throw new TypeError('out of it, token=hunter2'); })";
    const service = await start({ nodeArguments: ['--import', `data:text/javascript,${failing}`] });

    process.kill(service.pid, 'SIGUSR2');

    expect((await service.exit).code).toBe(1);
    expect(service.troubles).toContain('ERROR An uncaught error ends the service');
    expect(service.stdout).toMatch(
      /\nTypeError: out of it, token=\*{6}\n {4}at [^\n]+\n$|\nTypeError: .*\n(?: {4}at .*\n)+$/,
    );
    expect(service.stdout + service.stderr).not.toContain('hunter2');
  });

  it('an unhandled rejection is logged, and the service exits with 1', async () => {
    const failing = "process.once('SIGUSR2', () => void Promise.reject(new TypeError('out of it')))";
    const service = await start({ nodeArguments: ['--import', `data:text/javascript,${failing}`] });

    process.kill(service.pid, 'SIGUSR2');

    expect((await service.exit).code).toBe(1);
    expect(service.troubles).toContain('ERROR An unhandled rejection ends the service');
  });
});

describe('logger http', () => {
  it('a level change applies to the next request under load, and no line is lost', async () => {
    const service = await startManaged();
    running.push(service);
    const client = new HttpClient(service.url);
    const ask = (id: string): Promise<unknown> => client.get('/nowhere', { headers: { 'x-request-id': id } });
    let isLoaded = true;
    const load = Array.from({ length: 8 }, async (_, worker) => {
      for (let at = 0; isLoaded; at += 1) await ask(`load-${worker}-${at}`);
    });
    const before = Array.from({ length: 50 }, (_, at) => `before-${at}`);
    const after = Array.from({ length: 300 }, (_, at) => `after-change-${at}`);
    for (const id of before) await ask(id);

    const change = await service.operator.post('/loggers/http', { configuredLevel: 'DEBUG' });
    await Promise.all(after.map(ask));
    const back = await service.operator.post('/loggers/web', { configuredLevel: 'OFF' });
    for (const id of before) await ask(`${id}-again`);
    isLoaded = false;
    await Promise.all(load);
    await service.stop();

    expect([change.status, back.status]).toEqual([204, 204]);
    const ids = idsOf(service.stdout, 'GET /nowhere 404');
    expect(ids.filter((id) => id.startsWith('after')).toSorted()).toEqual(after.toSorted());
    expect(ids.filter((id) => id.startsWith('before'))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('logger http writes method, route template, status and time, without query and parameter values', async () => {
    const service = await start({ args: ['--logging.level.http=DEBUG'] });
    await fetch(`${service.url}/sessions/an-id-of-a-session`, { method: 'DELETE' });
    await fetch(`${service.url}/nowhere?token=hunter2`);
    await service.stop();

    expect(
      service.log.filter((line) => line.startsWith('DEBUG')).map((line) => line.replace(/\d+ ms$/, 'n ms')),
    ).toEqual(['DEBUG DELETE /sessions/:id 401 n ms', 'DEBUG GET /nowhere 404 n ms']);
    expect(service.stdout).not.toContain('hunter2');
  });
});

it('L2: hostile request data is escaped, starts no log line and hides none', async () => {
  const args = ['--logging.level.root=TRACE', '--logging.file.name=service.log'];
  const service = await startManaged({ args: [...args, '--logging.structured.format.file=ecs'] });
  running.push(service);
  const client = new HttpClient(service.url);
  for (const ending of [
    'a\r\nFORGED',
    '\u001b[2KFORGED',
    '\u2028FORGED',
    '\u202eDEGROF',
    '\u0085FORGED',
    '"},{"FORGED":"',
  ]) {
    const text = `FORGED${ending}`;
    const coded = encodeURIComponent(text);
    await client.post('/login', { id: text, pw: text });
    await client.post('/login', { id: [text], [text]: text });
    await client.post('/login/2fa', { mfa_token: text, code: text });
    await service.operator.post('/loggers/auth', { configuredLevel: text, [text]: text });
    await service.operator.post(`/loggers/${coded}`, { configuredLevel: 'DEBUG' });
    await service.operator.get(`/env?pattern=${coded}(`);
    await service.stranger.get('/env', { headers: basic(text, text) });
    const agent = text.replaceAll(/[\r\n]/g, '');
    const heads = [`GET /${coded} HTTP/1.1`, 'Host: a', `User-Agent: ${agent}`, `X-Forwarded-For: ${agent}`];
    await sendRaw(service.url, `${heads.join('\r\n')}\r\nX-Request-Id: ${agent}\r\nConnection: close\r\n\r\n`);
  }
  const lines = await linesOf(service);
  const file = readFileSync(join(service.cwd, 'service.log'), 'utf8');

  // All lines have the packaged pattern, except the one about the first user.
  expect(service.log).toHaveLength(lines.length - 1);
  expect(service.log.filter((line) => line.includes('FORGED'))).not.toEqual([]);
  const objects = file.trimEnd().split('\n');
  expect(objects.map((line) => JSON.parse(line) as object)).toHaveLength(lines.length - 1);
  expect(objects.filter((line) => line.includes('"FORGED"'))).toEqual([]);
  expect(`${service.stdout}${file}`).not.toMatch(/[^\n\P{Cc}]|[\p{Cf}\p{Zl}\p{Zp}]/u);
});

it('L4: the reason of a rejection is logged but not sent to the caller', async () => {
  const service = await start({ args: ['--logging.level.server=DEBUG'] });
  const answer = await fetch(`${service.url}/me`, { headers: { authorization: 'Bearer not-a-token-at-all' } });
  const body = await answer.text();
  await service.stop();

  expect(body).toContain('INVALID_TOKEN');
  expect(body).not.toContain('of ours');
  expect(service.log).toContain('DEBUG INVALID_TOKEN GET /me reason="not an access token of ours"');
  expect(service.stdout).not.toContain('not-a-token-at-all');
});

onSqlite('user in a log line', (engine) => {
  const story = storyOn(engine, {
    args: ['--logging.level.http=DEBUG', '--logging.pattern.console=%X{requestId:-none}|%X{user:-nobody}|%logger %m%n'],
  });

  /** The user of the only line of a request. */
  function userOf(id: string): Promise<string> {
    return waitUntil(
      `the line of ${id} is there`,
      () => new RegExp(`^${id}\\|(.*)\\|http `, 'm').exec(story.service.stdout)?.[1],
    );
  }

  it('log lines name the subject at each step of a login', async () => {
    const person = await story.enrolled();
    const subject = await story.subjectOf(person);
    const client = story.client();
    const [password, code, bearer] = ['the-password-step', 'the-second-step', 'a-request-of-his-own'];

    client.headers['x-request-id'] = password;
    const mfaToken = await story.mfaToken(person, client);
    client.headers['x-request-id'] = code;
    await client.post('/login/2fa', { mfa_token: mfaToken, code: story.nextCode(person) });
    client.headers['x-request-id'] = bearer;
    await client.get('/me', { bearer: person.accessToken });

    expect([await userOf(password), await userOf(code), await userOf(bearer)]).toEqual([subject, subject, subject]);
  });

  it('log lines name a pseudonym of an unknown login id', async () => {
    const client = story.client();
    client.headers['x-request-id'] = 'a-try-of-nobody';

    expect(await client.post('/login', { id: 'No-Body', pw: PASSWORD })).toBeRefused(401, 'INVALID_CREDENTIALS');

    const mark = createHash('sha256').update('no-body').digest('hex').slice(0, 12);
    expect(await userOf('a-try-of-nobody')).toBe(`id:${mark}`);
    expect(story.service.stdout).not.toMatch(/no-body/i);
  });

  it('log lines name no user for an unauthenticated request', async () => {
    const client = story.client();
    client.headers['x-request-id'] = 'a-stranger-asks';

    await client.get('/me');

    expect(await userOf('a-stranger-asks')).toBe('nobody');
  });
});

onSqlite('login decisions in the log', (engine) => {
  const story = storyOn(engine, { args: ['--logging.level.auth=DEBUG', '--logging.level.mfa=DEBUG'] });

  it('the log at DEBUG contains each login decision with its reason', async () => {
    const plain = story.person();
    const person = await story.enrolled();
    const from = await waitUntil('the enrolment is logged', () => {
      const { log } = story.service;
      return log.some((line) => line.startsWith('DEBUG Code accepted')) && log.length;
    });

    await story.login(plain);
    const mfaToken = await story.mfaToken(person);
    await story.client().post('/login/2fa', { mfa_token: mfaToken, code: story.wrongCode(person) });
    await story.client().post('/login/2fa', { mfa_token: mfaToken, code: story.nextCode(person) });
    const debug = await waitUntil('the last decision is logged', () => {
      const lines = story.service.log.slice(from).filter((line) => line.startsWith('DEBUG'));
      return lines.some((line) => line.includes('accepted')) && lines;
    });

    expect(debug).toEqual([
      'DEBUG Password verified: no second step is due hasFactor=false demanded=false sentDevice=false',
      expect.stringMatching(
        /^DEBUG Password verified: the second step is due.* hasFactor=true demanded=false sentDevice=false$/,
      ),
      'DEBUG Code rejected method=totp factor=active reason=wrong_code failures=1 maxFailures=5',
      expect.stringMatching(/^DEBUG Code accepted method=totp factor=active offset=-?[01]$/),
    ]);
  });
});

describe('reader of standard output', () => {
  const children: ChildProcess[] = [];
  afterEach(async () => {
    for (const child of children.splice(0)) {
      const end = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
      child.kill('SIGKILL');
      await end;
    }
  });

  /** A service whose standard output is not read after startup. */
  async function unread(): Promise<{ child: ChildProcess; url: string; rest: () => Promise<string> }> {
    await request('build');
    const args = ['--server.port=0', '--server.address=127.0.0.1', '--logging.level.http=DEBUG'];
    const child = spawn(process.execPath, [MAIN, ...args], {
      cwd: temporaryFolder('unread'),
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    children.push(child);
    const { stdout } = child;
    let text = '';
    const take = (chunk: Buffer): void => {
      text += chunk.toString();
    };
    stdout.on('data', take);
    const url = await waitUntil('the service is ready', () => /ready: (http:\S+?)\/?\s/.exec(text)?.[1]);
    await waitUntil('the initial administrator is printed', () => text.includes('First user'));
    stdout.pause();
    const rest = async (): Promise<string> => {
      stdout.resume();
      await once(stdout, 'end');
      return text;
    };
    return { child, url, rest };
  }

  /** Causes more log lines than the pipe and its reader can buffer. */
  async function asked(url: string, count: number): Promise<readonly number[]> {
    const path = `/${'x'.repeat(30)}/`.repeat(30);
    const statuses: number[] = [];
    for (let at = 0; at < count; at += 10) {
      const answers = await Promise.all(Array.from({ length: 10 }, () => fetch(`${url}${path}`)));
      for (const answer of answers) {
        await answer.text();
        statuses.push(answer.status);
      }
    }
    return statuses;
  }

  it(
    'a paused reader of standard output delays no request and receives every line later',
    { timeout: 60_000 },
    async () => {
      const { child, url, rest } = await unread();

      const statuses = await asked(url, 1000);
      const text = rest();
      child.kill('SIGTERM');

      expect(new Set(statuses)).toEqual(new Set([404]));
      expect((await text).match(/ DEBUG .* GET \/x+.* 404 \d+ ms$/gm)).toHaveLength(1000);
    },
  );

  it('a reader of standard output that never resumes does not prevent shutdown', { timeout: 60_000 }, async () => {
    const { child, url } = await unread();
    await asked(url, 500);
    const end = once(child, 'exit');

    child.kill('SIGTERM');

    expect(await end).toEqual([0, null]);
  });

  it('closed standard output affects neither requests nor shutdown', { timeout: 60_000 }, async () => {
    const { child, url } = await unread();
    child.stdout?.destroy();

    const statuses = await asked(url, 50);
    const end = once(child, 'exit');
    child.kill('SIGTERM');

    expect(new Set(statuses)).toEqual(new Set([404]));
    expect(await end).toEqual([0, null]);
  });
});
