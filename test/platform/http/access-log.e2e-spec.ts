import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { textOf } from '../../support/http/http-client.js';
import { secondStep, storyOn } from '../../support/login/login-story.js';
import { MovedClock } from '../../support/programs/moved-clock.js';
import { sendRaw } from '../../support/http/raw-http.js';
import { runService, type RunningService, startService } from '../../support/programs/service.js';
import { onSqlite } from '../../support/database/story-database.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';
import { waitUntil } from '../../support/runner/wait-until.js';

/** Common Log Format, with the optional Referer and User-Agent fields of the combined format. */
const LINE =
  /^(?<host>\S+) - (?<user>\S+) \[(?<time>[^\]\s]+ [+-]\d{4})\] "(?<request>-|[A-Z]+ \S+ HTTP\/1\.[01])" (?<status>\d{3}) (?<bytes>\d+|-)(?: "(?<referer>[^"]*)" "(?<agent>[^"]*)")?$/;

type Line = Readonly<Record<'host' | 'user' | 'time' | 'request' | 'status' | 'bytes' | 'referer' | 'agent', string>>;

const started: RunningService[] = [];

async function start(options: Parameters<typeof startService>[0] = {}): Promise<RunningService> {
  const service = await startService(options);
  started.push(service);
  return service;
}

afterEach(async () => {
  await Promise.all(started.splice(0).map((service) => service.release()));
});

function textIn(folder: string): string {
  if (!existsSync(folder)) return '';
  const names = readdirSync(folder).filter((name) => /^access_log\.\d{4}-\d{2}-\d{2}\.log$/.test(name));
  return names
    .sort()
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join('');
}

function parsed(text: string): readonly Line[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const groups = LINE.exec(line)?.groups;
      if (!groups) throw new Error(`no line of an access log: ${JSON.stringify(line)}`);
      return groups as Line;
    });
}

let asked = 0;
const told = new WeakMap<RunningService, number>();

/** The lines since the last call. A marker request, which the result excludes, shows that all of them are written. */
async function linesOf(service: RunningService, folder = join(service.cwd, 'logs')): Promise<readonly Line[]> {
  asked += 1;
  const path = `/marker-${asked}`;
  await (await fetch(service.url + path)).text();
  const request = `GET ${new URL(service.url + path).pathname} HTTP/1.1`;
  const [lines, end] = await waitUntil(`${path} is in the log`, () => {
    const found = parsed(textIn(folder));
    const at = found.findIndex((line) => line.request === request);
    return at === -1 ? undefined : ([found, at] as const);
  });
  const begin = told.get(service) ?? 0;
  told.set(service, end + 1);
  return lines.slice(begin, end);
}

describe('server.embedded.accesslog', () => {
  it('accesslog.enabled writes the access log to logs/ by default, and nothing if it is false', async () => {
    const [on, off] = await Promise.all([start(), start({ args: ['--server.embedded.accesslog.enabled=false'] })]);
    await fetch(`${off.url}/me`);
    await fetch(`${on.url}/me`);

    expect(await linesOf(on)).toMatchObject([{ request: 'GET /me HTTP/1.1' }]);
    expect(await off.stop()).toBe(0);
    expect(existsSync(join(off.cwd, 'logs'))).toBe(false);
  });

  it('accesslog.directory is relative or absolute, and closed with its files to all but owner and group', async () => {
    const elsewhere = join(temporaryFolder('elsewhere'), 'a', 'b');
    const within = await start({ args: ['--server.embedded.accesslog.directory=log/access'] });
    const outside = await start({ args: [`--server.embedded.accesslog.directory=${elsewhere}`] });

    await linesOf(within, join(within.cwd, 'log', 'access'));
    await linesOf(outside, elsewhere);

    for (const folder of [join(within.cwd, 'log', 'access'), elsewhere]) {
      const [name = ''] = readdirSync(folder);
      expect(statSync(folder).mode & 0o777).toBe(0o750);
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o640);
    }
  });

  it('accesslog.pattern sets the format of an access log line', async () => {
    const service = await start({
      args: ['--server.embedded.accesslog.pattern=%m|%U|%s|%{X-Request-Id}o'],
    });
    await fetch(`${service.url}/nowhere?a=b`, { headers: { 'x-request-id': 'request-77' } });

    expect(await service.stop()).toBe(0);
    expect(textIn(join(service.cwd, 'logs'))).toBe('GET|/nowhere|404|request-77\n');
  });

  it('L1: an access log pattern that names the Authorization header fails startup with a reason', async () => {
    const { exitCode, stdout, stderr, cwd } = await runService({
      args: ['--server.embedded.accesslog.pattern=%h %{Authorization}i'],
    });

    expect(exitCode).toBe(1);
    expect(stdout + stderr).toContain('server.embedded.accesslog.pattern');
    expect(stdout + stderr).toContain('only Referer, User-Agent and the X-Request-Id of the response are logged');
    expect(existsSync(join(cwd, 'logs'))).toBe(false);
  });
});

describe('access log lines', () => {
  let service: RunningService;

  beforeAll(async () => {
    service = await startService({ args: ['--server.servlet.context-path=/auth', '--management.server.port=0'] });
  });

  afterAll(() => service.release());

  it('the access log records every response with its path, status and length', async () => {
    const origin = new URL(service.url).origin;
    const ask = async (method: string, path: string): Promise<string> => {
      const { status, headers } = await fetch(origin + path, { method, redirect: 'manual' });
      const length = method === 'HEAD' ? '-' : (headers.get('content-length') ?? '');
      return `${method} ${path.replace(/\?.*/, '')} HTTP/1.1|${status}|${length}`;
    };
    const sent = [
      await ask('GET', '/auth/portal/login'),
      await ask('GET', '/auth/nowhere?secret=1'),
      await ask('GET', '/auth/me'),
      await ask('DELETE', '/auth/login'),
      await ask('GET', '/outside'),
      await ask('POST', '/auth/login'),
      await ask('HEAD', '/auth/portal/login'),
    ];

    const lines = await linesOf(service);

    expect(sent.map((line) => line.split('|')[1])).toEqual(['200', '404', '401', '405', '404', '400', '200']);
    expect(lines.map(({ request, status, bytes }) => `${request}|${status}|${bytes}`)).toEqual(sent);
    for (const line of lines) expect(line).toMatchObject({ host: '127.0.0.1', user: '-' });
  });

  it('the access log records pipelined requests in their order', async () => {
    const requests = ['/a', '/b', '/c'].map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join('');

    await sendRaw(service.url, `${requests}GET /d HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);

    expect((await linesOf(service)).map(({ request }) => request.split(' ')[1])).toEqual(['/a', '/b', '/c', '/d']);
  });

  it('the access log records an unparsable request as 400 and an aborted one as 499', async () => {
    await sendRaw(service.url, 'NONSENSE\r\n\r\n');
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write('PATCH /auth HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{');
    await (await fetch(`${service.url}/me`)).text();
    socket.resetAndDestroy();
    await once(socket, 'close');
    await waitUntil('the line is in the log', () => textIn(join(service.cwd, 'logs')).includes('PATCH'));

    expect((await linesOf(service)).map(({ request, status }) => `${request} ${status}`)).toEqual([
      '- 400',
      'GET /auth/me HTTP/1.1 401',
      'PATCH /auth HTTP/1.1 499',
    ]);
  });

  it('the access log leaves out requests to a separate management listener', async () => {
    const health = await fetch(`${service.managementUrl ?? ''}/health`);

    expect(health.status).toBe(200);
    expect(await linesOf(service)).toEqual([]);
  });
});

describe('access log file', () => {
  it('shutdown writes all access log lines, and the next start appends to them', async () => {
    const first = await start({ isAlone: true });
    for (let number = 0; number < 50; number += 1) await (await fetch(`${first.url}/number-${number}`)).text();
    const exitCode = await first.stop();
    const lines = parsed(textIn(join(first.cwd, 'logs')));
    const second = await start({ cwd: first.cwd });
    await (await fetch(`${second.url}/second`)).text();

    expect(exitCode).toBe(0);
    expect(lines).toHaveLength(50);
    expect(await linesOf(second)).toEqual([...lines, expect.objectContaining({ request: 'GET /second HTTP/1.1' })]);
  });

  it('the access log starts a new file at midnight in the time zone of the process', async () => {
    const clock = new MovedClock();
    const service = await start({ nodeArguments: clock.nodeArguments, env: { TZ: 'Pacific/Auckland' } });
    const folder = join(service.cwd, 'logs');
    const day = (): string => new Intl.DateTimeFormat('sv', { timeZone: 'Pacific/Auckland' }).format(clock.millis);
    const ask = async (): Promise<string> => {
      const before = textIn(folder).length;
      await (await fetch(`${service.url}/me`)).text();
      // The clock must not move before the service has read it.
      await waitUntil('the line is in the log', () => textIn(folder).length > before);
      return `access_log.${day()}.log`;
    };
    const today = await ask();
    // No day is longer than 25 hours.
    const nextHour = 3600 - (clock.seconds % 3600);
    clock.advance(nextHour - 1);
    while (`access_log.${day()}.log` === today) clock.advance(3600);
    clock.back(3600);
    const last = await ask();
    clock.advance(1);
    const first = await ask();
    await service.stop();

    expect(last).toBe(today);
    expect(first).not.toBe(today);
    expect(readdirSync(folder).sort()).toEqual([today, first]);
    const times = [today, first].map((name) =>
      parsed(readFileSync(join(folder, name), 'latin1')).map(({ time }) => time.replace(/^[^:]*:/, '')),
    );
    expect(times.map((all) => all.length)).toEqual([2, 1]);
    expect([times[0]?.[1], times[1]?.[0]]).toEqual([
      expect.stringMatching(/^23:59:59 \+1[23]00$/),
      expect.stringMatching(/^00:00:00 \+1[23]00$/),
    ]);
  });
});

describe('R12: access log that cannot be written', () => {
  it('R12: the access log recreates its folder after it was removed, without a warning', async () => {
    const service = await start();
    await linesOf(service);
    rmSync(join(service.cwd, 'logs'), { recursive: true });
    await (await fetch(`${service.url}/after`)).text();
    const text = await waitUntil('the access log exists again', () => textIn(join(service.cwd, 'logs')) || undefined);

    expect(parsed(text)).toMatchObject([{ request: 'GET /after HTTP/1.1' }]);
    expect(service.troubles.join()).not.toContain('access log');
  });

  it('R12: a file in place of the log folder logs one warning and its end, and no access log line is lost', async () => {
    const clock = new MovedClock();
    const cwd = temporaryFolder('service');
    writeFileSync(join(cwd, 'logs'), '');
    const service = await start({ cwd, nodeArguments: clock.nodeArguments });
    await served(service, 20);
    clock.advance(60);
    await served(service, 20);
    await warned(service, 1);

    rmSync(join(cwd, 'logs'));
    clock.advance(60);
    await warned(service, 2);

    expect(warnings(service)).toEqual([
      expect.stringContaining('logs/access_log.'),
      expect.stringContaining('no lines are lost.'),
    ]);
    expect(await linesOf(service)).toHaveLength(40);
  });

  // Only root can mount a file system.
  it.skipIf(process.getuid?.() !== 0)(
    'R12: a full disk logs one warning and its end, and no access log line is lost',
    async () => {
      const clock = new MovedClock();
      const folder = temporaryFolder('tmpfs');
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]);
      try {
        const args = [`--server.embedded.accesslog.directory=${folder}`];
        const service = await start({ nodeArguments: clock.nodeArguments, args });
        writeFileSync(join(folder, 'filler'), Buffer.alloc(32 * 1024));
        await served(service, 500);
        await warned(service, 1);
        await served(service, 100);

        rmSync(join(folder, 'filler'));
        clock.advance(60);
        await warned(service, 2);
        await service.stop();

        expect(warnings(service)).toEqual([
          expect.stringContaining('(ENOSPC: no space left on device)'),
          expect.stringContaining('no lines are lost.'),
        ]);
        const whole = textIn(folder)
          .split('\n')
          .filter((line) => LINE.test(line));
        expect(whole).toHaveLength(600);
      } finally {
        execFileSync('umount', ['--lazy', folder]);
      }
    },
  );

  async function served(service: RunningService, count: number): Promise<void> {
    for (let number = 0; number < count; number += 1) {
      const answer = await fetch(`${service.url}/me`);
      await answer.text();
      expect(answer.status).toBe(401);
    }
  }

  function warnings(service: RunningService): readonly string[] {
    return service.troubles.filter((line) => line.includes('access log'));
  }

  async function warned(service: RunningService, count: number): Promise<void> {
    await waitUntil(`there are ${count} warnings`, () => warnings(service).length >= count);
  }
});

describe('L2: forged access log lines', () => {
  const forged = '192.0.2.66 - admin [21/Nov/2026:09:00:00 +0000] "GET /forged HTTP/1.1" 200 1';
  const tricks = [
    '\r\n',
    '\r',
    '\n',
    '\r\n ',
    '\0',
    '\u{1b}[2K\u{1b}[1G',
    '\v',
    '\f',
    '\u{85}',
    Buffer.from('\u{2028}').toString('latin1'),
    '" 200 1 "-" "-"',
    String.raw`\n`,
    '\\',
    String.raw`\x0A`,
    '%0d%0a',
  ];
  const head = 'Host: a\r\nConnection: close\r\n';
  const places: Readonly<Record<string, (sent: string) => string>> = {
    'the path': (sent) => `GET /${sent.replaceAll(' ', '%20')} HTTP/1.1\r\n${head}\r\n`,
    'the query': (sent) => `GET /me?${sent.replaceAll(' ', '%20')} HTTP/1.1\r\n${head}\r\n`,
    'the method': (sent) => `${sent} /me HTTP/1.1\r\n${head}\r\n`,
    'the protocol': (sent) => `GET /me HTTP/1.1${sent}\r\n${head}\r\n`,
    'User-Agent': (sent) => `GET /me HTTP/1.1\r\n${head}User-Agent: ${sent}\r\n\r\n`,
    Referer: (sent) => `GET /me HTTP/1.1\r\n${head}Referer: https://portal.example/${sent}\r\n\r\n`,
    Host: (sent) => `GET /me HTTP/1.1\r\nHost: ${sent}\r\nConnection: close\r\n\r\n`,
    'X-Request-Id': (sent) => `GET /me HTTP/1.1\r\n${head}X-Request-Id: ${sent}\r\n\r\n`,
    'X-Forwarded-For': (sent) => `GET /me HTTP/1.1\r\n${head}X-Forwarded-For: ${sent}\r\n\r\n`,
    'a text without a request': (sent) => `${sent}\r\n\r\n`,
  };
  const statuses: Record<string, readonly (readonly number[])[]> = {};
  let lines: readonly Line[] = [];
  let text = '';

  beforeAll(async () => {
    const service = await startService({ args: ['--server.embedded.accesslog.pattern=combined'] });
    for (const [place, request] of Object.entries(places)) {
      const sent: (readonly number[])[] = [];
      for (const trick of tricks) {
        sent.push((await sendRaw(service.url, Buffer.from(request(trick + forged), 'latin1'))).statuses);
      }
      statuses[place] = sent;
    }
    lines = await linesOf(service);
    text = textIn(join(service.cwd, 'logs'));
    await service.release();
  });

  it.each(Object.keys(places).map((place, index) => [place, index] as const))(
    'L2: line breaks, escapes, quotes and backslashes in %s forge no access log line',
    (place, index) => {
      for (const ofRequest of statuses[place] ?? []) expect(ofRequest).toHaveLength(1);
      expect(statuses[place]).toHaveLength(tricks.length);
      const ofPlace = lines.slice(index * tricks.length, (index + 1) * tricks.length);
      expect(ofPlace).toHaveLength(tricks.length);
      for (const line of ofPlace) expect(line).toMatchObject({ host: '127.0.0.1', user: '-' });
    },
  );

  it('L2: requests write one access log line each, in printable ASCII', () => {
    expect(lines).toHaveLength(Object.keys(places).length * tricks.length);
    expect(text).toMatch(/^[\x20-\x7e\n]*$/);
  });
});

onSqlite('L1: secrets in the access log', (engine) => {
  const story = storyOn(engine, { people: 3, args: ['--server.embedded.accesslog.pattern=combined'] });

  it('L1: the access log contains no secret of a login and names the user by subject only', async () => {
    const secrets = new Map<string, string>();
    const client = story.client();
    client.headers['referer'] = 'https://portal.example/start?code=hidden-in-referer#hidden-in-fragment';
    secrets.set('query of Referer', 'hidden-in-referer').set('fragment of Referer', 'hidden-in-fragment');

    const person = await story.enrolled(story.person(), client);
    secrets.set('password', person.password).set('login id', person.id).set('TOTP secret', person.app.secret);
    for (const [index, code] of person.backupCodes.entries()) secrets.set(`backup code ${index}`, code);
    const mfaToken = await story.mfaToken(person, client);
    const code = story.nextCode(person);
    const signedIn = await secondStep(client, mfaToken, code);
    const accessToken = textOf(signedIn, 'access_token');
    const refreshToken = client.cookie('refresh_token') ?? '';
    const other = await secondStep(client, await story.mfaToken(person, client), person.backupCodes[0] ?? '');
    const refreshed = await client.post('/token/refresh');
    secrets.set('mfa_token', mfaToken).set('code', code).set('access token', accessToken);
    secrets.set('refresh token', refreshToken).set('rotated refresh token', client.cookie('refresh_token') ?? '');
    secrets.set('other access token', textOf(other, 'access_token'));
    secrets.set('refreshed access token', textOf(refreshed, 'access_token'));
    const asked = [
      await client.get('/me', { bearer: accessToken }),
      await client.get(`/me?access_token=${accessToken}`),
      await client.get(`/me;access_token=${accessToken}`),
      await client.get(`/me/${accessToken}`),
      await client.get(`/token/${refreshToken}`),
      await client.get(`/2fa/${person.app.secret}`),
      await client.get(`/me%3Faccess_token=${accessToken}`),
      await client.get(`/login?id=${person.id}&pw=${encodeURIComponent(person.password)}`),
      await client.get('/me', { headers: { referer: `https://portal.example/${accessToken}` } }),
      await client.get('/me', { headers: { authorization: `Basic ${btoa(`${person.id}:${person.password}`)}` } }),
    ];
    secrets.set('Basic credentials', btoa(`${person.id}:${person.password}`));

    const lines = await linesOf(story.service);

    const text = textIn(join(story.cwd, 'logs'));
    for (const [what, secret] of secrets) {
      expect(secret.length, what).toBeGreaterThanOrEqual(6);
      // A code may occur inside a longer number by chance; of a token not even the first characters may occur.
      const shown = encodeURIComponent(secret).slice(0, 12);
      expect(secret.length > 6 ? text : text.split(/\W+/), what).not.toContain(shown);
    }
    expect(asked.map(({ status }) => status)).toEqual([200, 401, 404, 404, 404, 404, 404, 405, 401, 401]);
    const subject = await story.subjectOf(person);
    const users = lines.filter(({ request }) => request === 'GET /me HTTP/1.1').map(({ user }) => user);
    expect(users).toEqual([subject, '-', '-', '-', '-']);
    expect(lines.find(({ request }) => request.startsWith('POST /login '))).toMatchObject({ user: '-' });
  });
});
