import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../support/http/http-client.js';
import { type ManagedService, startManaged } from '../support/management/management.js';
import { temporaryFolder } from '../support/programs/temporary-folder.js';
import { waitUntil } from '../support/runner/wait-until.js';

/** 100 lines of ten bytes each. */
const TEXT = Array.from({ length: 100 }, (_, line) => `line ${String(line).padStart(4, '0')}\n`).join('');

function ranged(
  service: ManagedService,
  range: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return service.operator.get('/logfile', { headers: { range, ...headers } });
}

describe('the logfile endpoint', () => {
  const file = join(temporaryFolder('logfile'), 'external.log');
  let service: ManagedService;
  beforeAll(async () => {
    const keys = '--management.endpoint.logfile';
    // A test measures the memory of the process.
    const args = [`${keys}.external-file=${file}`, `${keys}.cache.time-to-live=1h`];
    service = await startManaged({ isAlone: true, args });
  });
  afterAll(async () => {
    await service.stop();
  });

  /** Descriptors that the service has open for the log file. */
  function openFiles(): readonly string[] {
    return readdirSync(`/proc/${service.pid}/fd`)
      .map((name) => {
        try {
          return readlinkSync(`/proc/${service.pid}/fd/${name}`);
        } catch {
          return '';
        }
      })
      .filter((path) => path === file);
  }

  it('returns the whole file as UTF-8 text without a Range header', async () => {
    writeFileSync(file, `${TEXT}größer\n`);

    const { status, headers, text } = await service.operator.get('/logfile');

    expect(status).toBe(200);
    expect(text).toBe(`${TEXT}größer\n`);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'accept-ranges': 'bytes',
      'content-length': '1009',
      'cache-control': 'no-store',
    });
  });

  it.each([
    ['bytes=0-9', TEXT.slice(0, 10), 'bytes 0-9/1000'],
    ['bytes=990-', TEXT.slice(990), 'bytes 990-999/1000'],
    ['bytes=990-5000', TEXT.slice(990), 'bytes 990-999/1000'],
    ['bytes=-20', TEXT.slice(-20), 'bytes 980-999/1000'],
    ['bytes=-5000', TEXT, 'bytes 0-999/1000'],
  ])('Range: %s returns 206 with that part of the file', async (range, text, contentRange) => {
    writeFileSync(file, TEXT);

    const answer = await ranged(service, range);

    expect(answer).toMatchObject({ status: 206, text });
    expect(answer.headers.get('content-range')).toBe(contentRange);
    expect(answer.headers.get('content-length')).toBe(String(text.length));
  });

  it.each(['bytes=1000-', 'bytes=5000-6000', 'bytes=-0'])(
    'Range: %s gets 416 for a file of 1000 bytes',
    async (range) => {
      writeFileSync(file, TEXT);

      const { status, headers, text } = await ranged(service, range);

      expect({ status, text, range: headers.get('content-range') }).toEqual({
        status: 416,
        text: '',
        range: 'bytes */1000',
      });
    },
  );

  it.each([
    ['several ranges', { range: 'bytes=0-1,5-6' }],
    ['a unit other than bytes', { range: 'lines=0-1' }],
    ['an If-Range condition', { range: 'bytes=0-1', 'if-range': '"abc"' }],
  ])('returns the whole file for %s', async (_, headers) => {
    writeFileSync(file, TEXT);

    expect(await service.operator.get('/logfile', { headers })).toMatchObject({ status: 200, text: TEXT });
  });

  it('a console can follow the file: first its tail, then new lines, and the start after a rollover', async () => {
    writeFileSync(file, TEXT);
    const first = await ranged(service, 'bytes=-100');
    appendFileSync(file, 'new\n');
    const second = await ranged(service, 'bytes=1000-');
    const nothing = await ranged(service, 'bytes=1004-');
    truncateSync(file, 0);
    appendFileSync(file, 'rolled\n');
    const rolled = await ranged(service, 'bytes=1004-');
    const again = await ranged(service, 'bytes=-100');

    expect([first.text, second.text]).toEqual([TEXT.slice(-100), 'new\n']);
    expect([nothing, rolled].map(({ status, headers }) => `${status} ${headers.get('content-range') ?? ''}`)).toEqual([
      '416 bytes */1004',
      '416 bytes */7',
    ]);
    expect(again).toMatchObject({ status: 206, text: 'rolled\n' });
  });

  it.each([{}, { range: 'bytes=-100' }])(
    'HEAD with the headers %o returns the headers of GET and leaves no file open',
    async (headers) => {
      writeFileSync(file, TEXT);

      const got = await service.operator.get('/logfile', { headers });
      const head = await service.operator.send('HEAD', '/logfile', { headers });

      expect(head).toMatchObject({ status: got.status, text: '' });
      for (const name of ['content-length', 'content-range', 'content-type', 'accept-ranges']) {
        expect(head.headers.get(name)).toBe(got.headers.get(name));
      }
      await waitUntil('no file is open', () => openFiles().length === 0);
    },
  );

  it('returns 404 when the file is missing, a folder, a pipe or a link to itself', async () => {
    const seen: Answer[] = [];
    rmSync(file);
    seen.push(await service.operator.get('/logfile'));
    mkdirSync(file);
    seen.push(await service.operator.get('/logfile'));
    rmSync(file, { recursive: true });
    execFileSync('mkfifo', [file]);
    seen.push(await service.operator.get('/logfile'));
    rmSync(file);
    symlinkSync(file, file);
    seen.push(await service.operator.get('/logfile'));
    rmSync(file);

    expect(seen.map(({ status, text }) => [status, text])).toEqual(Array(4).fill([404, '']));
  });

  it('looks for the file on every request, and startup warns that cache.time-to-live has no effect', async () => {
    rmSync(file, { force: true });
    const gone = await service.operator.get('/logfile');
    writeFileSync(file, TEXT);

    expect([gone.status, (await service.operator.get('/logfile')).status]).toEqual([404, 200]);
    expect(service.stdout).toMatch(/WARN .*management\.endpoint\.logfile\.cache\.time-to-live/);
  });

  it('an empty file gives an empty body, and 416 for a range', async () => {
    writeFileSync(file, '');

    expect(await service.operator.get('/logfile')).toMatchObject({ status: 200, text: '' });
    expect(await ranged(service, 'bytes=-100')).toMatchObject({ status: 416 });
  });

  it('M1: rejects unauthenticated requests for the log file', async () => {
    expect((await service.stranger.get('/logfile')).status).toBe(401);
  });

  it('streams a file of 300 MB without reading it into memory', async () => {
    writeFileSync(file, '');
    truncateSync(file, 300 * 1024 * 1024);

    const response = await fetch(`${service.url}/actuator/logfile`, { headers: service.operator.headers });
    let length = 0;
    for await (const chunk of response.body ?? []) length += (chunk as Uint8Array).length;

    expect(length).toBe(300 * 1024 * 1024);
    const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1];
    expect(Number(peak)).toBeLessThan(400 * 1024);
    rmSync(file);
  });

  it('aborts the response when the file shrinks during the download, and closes the file', async () => {
    writeFileSync(file, '');
    truncateSync(file, 50 * 1024 * 1024);
    const response = await fetch(`${service.url}/actuator/logfile`, { headers: service.operator.headers });
    const reader = response.body?.getReader();
    await reader?.read();

    truncateSync(file, 1000);

    await expect(
      (async () => {
        for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) continue;
      })(),
    ).rejects.toThrow('terminated');
    await waitUntil('the file is closed', () => openFiles().length === 0);
    rmSync(file);
  });
});

it('logfile shows the file of logging.file.name', async () => {
  const service = await startManaged({ args: ['--logging.file.name=logs/service.log'] });

  const answer = await waitUntil('the log file contains the startup line', async () => {
    const found = await service.operator.get('/logfile');
    return found.text.includes('Login service is ready') && found;
  });

  // The file may have grown since.
  const file = readFileSync(join(service.cwd, 'logs', 'service.log'), 'utf8');
  expect(file.slice(0, answer.text.length)).toBe(answer.text);
  await service.stop();
});

it('logfile declares the character set of logging.charset.file', async () => {
  const pattern = '--logging.pattern.file=<한> %m%n';
  const args = ['--logging.file.name=a.log', '--logging.charset.file=EUC-KR', pattern];
  const service = await startManaged({ args });
  await waitUntil('the log file contains the startup line', async () =>
    (await service.operator.get('/logfile')).text.includes('is ready'),
  );

  const { headers } = await service.operator.send('HEAD', '/logfile');
  await service.stop();

  expect(headers.get('content-type')).toBe('text/plain; charset=euc-kr');
  expect(readFileSync(join(service.cwd, 'a.log')).subarray(0, 4).toString('hex')).toBe('3cc7d13e');
  expect(service.stdout).not.toContain('\ufffd');
});

it('logfile returns 404 when no log file is configured', async () => {
  const service = await startManaged();

  expect(await service.operator.get('/logfile')).toMatchObject({ status: 404, text: '' });

  await service.stop();
});
