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
import type { Answer } from '../support/http-client.js';
import { type ManagedService, startManaged } from '../support/management.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { waitUntil } from '../support/wait-until.js';

/** 1,000 bytes, of which every tenth ends a line. */
const TEXT = Array.from({ length: 100 }, (_, line) => `line ${String(line).padStart(4, '0')}\n`).join('');

function ranged(
  service: ManagedService,
  range: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return service.operator.get('/logfile', { headers: { range, ...headers } });
}

describe('logfile', () => {
  const file = join(temporaryFolder('logfile'), 'external.log');
  let service: ManagedService;
  beforeAll(async () => {
    const keys = '--management.endpoint.logfile';
    service = await startManaged({ args: [`${keys}.external-file=${file}`, `${keys}.cache.time-to-live=1h`] });
  });
  afterAll(async () => {
    await service.stop();
  });

  /** Files of ours that the service has open. */
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

  it('is text in UTF-8, all of it without a range', async () => {
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
  ])('%s is a part of it', async (range, text, contentRange) => {
    writeFileSync(file, TEXT);

    const answer = await ranged(service, range);

    expect(answer).toMatchObject({ status: 206, text });
    expect(answer.headers.get('content-range')).toBe(contentRange);
    expect(answer.headers.get('content-length')).toBe(String(text.length));
  });

  it.each(['bytes=1000-', 'bytes=5000-6000', 'bytes=-0'])('%s is beyond its end', async (range) => {
    writeFileSync(file, TEXT);

    const { status, headers, text } = await ranged(service, range);

    expect({ status, text, range: headers.get('content-range') }).toEqual({
      status: 416,
      text: '',
      range: 'bytes */1000',
    });
  });

  it.each([
    ['several ranges', { range: 'bytes=0-1,5-6' }],
    ['no range of bytes', { range: 'lines=0-1' }],
    ['a condition that no file here can meet', { range: 'bytes=0-1', 'if-range': '"abc"' }],
  ])('is whole for %s', async (_, headers) => {
    writeFileSync(file, TEXT);

    expect(await service.operator.get('/logfile', { headers })).toMatchObject({ status: 200, text: TEXT });
  });

  it('is followed as a console does it: the end first, then each time what is new, and from the start once it is rolled', async () => {
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
    'HEAD says what GET would with %o, and leaves no file open',
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

  it('is not there where its file is gone, a folder, a pipe or a link to itself', async () => {
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

  it('is looked for again with each request, and its time to live is told to have no effect', async () => {
    rmSync(file, { force: true });
    const gone = await service.operator.get('/logfile');
    writeFileSync(file, TEXT);

    expect([gone.status, (await service.operator.get('/logfile')).status]).toEqual([404, 200]);
    expect(service.stdout).toMatch(/WARN .*management\.endpoint\.logfile\.cache\.time-to-live/);
  });

  it('is empty where nothing was written yet', async () => {
    writeFileSync(file, '');

    expect(await service.operator.get('/logfile')).toMatchObject({ status: 200, text: '' });
    expect(await ranged(service, 'bytes=-100')).toMatchObject({ status: 416 });
  });

  it('M1: is for operators', async () => {
    expect((await service.stranger.get('/logfile')).status).toBe(401);
  });

  it('is not read into memory: 300 MB pass through', async () => {
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

  it('is cut off where its file becomes shorter on the way: nobody waits for what will not come', async () => {
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

  const answer = await waitUntil('it has the start', async () => {
    const found = await service.operator.get('/logfile');
    return found.text.includes('Login service is ready') && found;
  });

  expect(answer.text).toBe(readFileSync(join(service.cwd, 'logs', 'service.log'), 'utf8'));
  await service.stop();
});

it('logfile says the character set that logging.charset.file gives the file', async () => {
  const pattern = '--logging.pattern.file=<한> %m%n';
  const args = ['--logging.file.name=a.log', '--logging.charset.file=EUC-KR', pattern];
  const service = await startManaged({ args });
  await waitUntil('it has the start', async () => (await service.operator.get('/logfile')).text.includes('is ready'));

  const { headers } = await service.operator.send('HEAD', '/logfile');
  await service.stop();

  expect(headers.get('content-type')).toBe('text/plain; charset=euc-kr');
  expect(readFileSync(join(service.cwd, 'a.log')).subarray(0, 4).toString('hex')).toBe('3cc7d13e');
  expect(service.stdout).not.toContain('\ufffd');
});

it('logfile is not there without a file of the log', async () => {
  const service = await startManaged();

  expect(await service.operator.get('/logfile')).toMatchObject({ status: 404, text: '' });

  await service.stop();
});
