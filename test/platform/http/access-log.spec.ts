import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { CollectedLog } from '../../support/programs/collected-log.js';
import { ManualClock } from '../../support/programs/manual-clock.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';
import { waitUntil } from '../../support/runner/wait-until.js';
import type { AccessRecord } from '../../../src/platform/http/records/access-line.js';
import { AccessLog } from '../../../src/platform/http/records/access-log.js';
import { COMMON_PATTERN } from '../../../src/platform/http/records/access-pattern.js';

/** A quarter to midnight, local time. */
const EVENING = new Date(2026, 10, 21, 23, 45).getTime() / 1000;
const TODAY = 'access_log.2026-11-21.log';
const TOMORROW = 'access_log.2026-11-22.log';

interface Keeping {
  readonly folder?: string;
  readonly maxDays?: number;
  readonly totalBytes?: number;
}

class Stage {
  readonly clock = new ManualClock(EVENING);
  readonly folder: string;
  private readonly told = new CollectedLog();
  readonly log: AccessLog;

  constructor({ folder = join(temporaryFolder('access-log'), 'a', 'logs'), ...keeping }: Keeping = {}) {
    this.folder = folder;
    this.log = new AccessLog({
      pattern: COMMON_PATTERN,
      directory: folder,
      maxDays: -1,
      totalBytes: 0,
      ...keeping,
      clock: this.clock,
      log: this.told.loggers.get('server'),
    });
  }

  get messages(): readonly string[] {
    return this.told.messages;
  }

  request(path: string): void {
    const now = this.clock.millis();
    this.log.record({ ...FACTS, request: { method: 'GET', target: path, protocol: 'HTTP/1.1' }, endedAt: now });
  }

  file(name = TODAY): string {
    return join(this.folder, name);
  }

  /** The paths in a file, or what stands there in place of a line. */
  pathsIn(name = TODAY): readonly string[] {
    if (!existsSync(this.file(name))) return [];
    const lines = readFileSync(this.file(name), 'latin1').split('\n');
    return lines.slice(0, -1).map((line) => /"GET (\S+) HTTP\/1\.1" 200 5$/.exec(line)?.[1] ?? `no line: ${line}`);
  }

  /** The paths in all parts of the first day. */
  pathsOfParts(): readonly string[] {
    const partOf = (name: string): number => Number(/\.(\d+)\.log$/.exec(name)?.[1] ?? 0);
    return readdirSync(this.folder)
      .toSorted((a, b) => partOf(a) - partOf(b))
      .flatMap((name) => this.pathsIn(name));
  }

  seen(path: string, name = TODAY): Promise<unknown> {
    return waitUntil(`${path} is in ${name}`, () => this.pathsIn(name).includes(path));
  }

  complained(count: number): Promise<unknown> {
    return waitUntil(`${count} messages`, () => this.messages.length >= count);
  }
}

const FACTS: AccessRecord = {
  address: '192.0.2.7',
  localAddress: undefined,
  localPort: undefined,
  subject: undefined,
  request: undefined,
  referer: undefined,
  userAgent: undefined,
  requestId: undefined,
  status: 200,
  bytes: 5,
  startedAt: EVENING * 1000,
  endedAt: EVENING * 1000,
};

const LONG_PATH = `/${'a'.repeat(30)}`.repeat(32);
/** Number of such lines that may wait. */
const WAITING = Math.floor(
  (4 * 1024 * 1024) / `192.0.2.7 - - [21/Nov/2026:23:45:00 +0000] "GET ${LONG_PATH} HTTP/1.1" 200 5\n`.length,
);

const opened: Stage[] = [];

function stage(keeping?: Keeping): Stage {
  const made = new Stage(keeping);
  opened.push(made);
  return made;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ log }) => log.close()));
});

it('opening the access log creates folder and file, readable by owner and group only', async () => {
  const at = stage();

  await at.log.open();

  expect(statSync(at.folder).mode & 0o777).toBe(0o750);
  expect(statSync(at.file()).mode & 0o777).toBe(0o640);
});

it('waiting lines are written without a flush, in order', async () => {
  const at = stage();
  for (let number = 0; number < 100; number += 1) at.request(`/${number}`);

  await at.seen('/99');

  expect(at.pathsIn()).toEqual(Array.from({ length: 100 }, (_, number) => `/${number}`));
});

it('closing the access log writes the waiting lines', async () => {
  const at = stage();
  at.request('/last');

  await at.log.close();

  expect(at.pathsIn()).toEqual(['/last']);
});

it('a burst of 20,000 lines is written completely and in order', async () => {
  const at = stage();
  const paths = Array.from({ length: 20_000 }, (_, number) => `/${number}`);
  for (const [index, path] of paths.entries()) {
    at.request(path);
    if (index % 1000 === 0) await new Promise(setImmediate);
  }

  await at.log.close();

  expect(at.pathsIn()).toEqual(paths);
});

it('a restart appends to the file of an earlier run', async () => {
  const first = stage();
  first.request('/first');
  await first.log.close();
  const second = stage({ folder: first.folder });
  second.request('/second');
  await second.log.close();

  expect(second.pathsIn()).toEqual(['/first', '/second']);
});

it('a line that a crash has cut off is terminated', async () => {
  const at = stage();
  await at.log.open();
  const next = stage({ folder: at.folder });
  appendFileSync(at.file(), '192.0.2.9 - - [torn');

  next.request('/next');
  await next.log.close();

  expect(at.pathsIn()).toEqual(['no line: 192.0.2.9 - - [torn', '/next']);
});

it('a new file begins at local midnight, and each line is in the file of its day', async () => {
  const at = stage();
  at.request('/evening');
  at.clock.advance(15 * 60 - 0.001);
  at.request('/last');
  at.clock.advance(0.001);
  at.request('/night');

  await at.log.close();

  expect(at.pathsIn(TODAY)).toEqual(['/evening', '/last']);
  expect(at.pathsIn(TOMORROW)).toEqual(['/night']);
});

describe('C8: old files of the access log', () => {
  /** Writes a line on each of so many days. */
  const writeDays = (at: Stage, days: number): void => {
    for (let day = 0; day < days; day += 1) {
      if (day > 0) at.clock.advance(24 * 3600);
      at.request('/a');
    }
  };
  const sizeOf = (at: Stage): number =>
    readdirSync(at.folder).reduce((sum, name) => sum + statSync(at.file(name)).size, 0);

  it('stay for ever without max-days and total-size-cap', async () => {
    const at = stage();
    writeDays(at, 40);

    await at.log.close();

    expect(readdirSync(at.folder)).toHaveLength(40);
  });

  it('are deleted after max-days, other files are not', async () => {
    const at = stage({ maxDays: 7 });
    await at.log.open();
    const others = ['access_log.2026-01-01.log.gz', 'access_log.old.log', 'service.log'];
    for (const name of others) writeFileSync(at.file(name), '');
    writeDays(at, 40);

    await at.log.close();

    const kept = ['23', '24', '25', '26', '27', '28', '29', '30'].map((day) => `access_log.2026-12-${day}.log`);
    expect(readdirSync(at.folder).toSorted()).toEqual([...others, ...kept].toSorted());
  });

  it('are deleted at startup, before the first line', async () => {
    const first = stage();
    writeDays(first, 3);
    await first.log.close();

    await stage({ folder: first.folder, maxDays: 0 }).log.open();

    // The clock of the second service is at the first day.
    expect(readdirSync(first.folder)).toEqual([TODAY, TOMORROW, 'access_log.2026-11-23.log']);
    const later = stage({ folder: first.folder, maxDays: 0 });
    later.clock.advance(2 * 24 * 3600);
    await later.log.open();
    expect(readdirSync(first.folder)).toEqual(['access_log.2026-11-23.log']);
  });

  it('never exceed total-size-cap within one day, and the newest lines are kept in order', async () => {
    const totalBytes = 100_000;
    const at = stage({ totalBytes });
    const paths = Array.from({ length: 5000 }, (_, number) => `/${number}`);
    for (const [index, path] of paths.entries()) {
      at.request(path);
      if (index % 500 !== 499) continue;
      await at.log.open();
      expect(sizeOf(at)).toBeLessThanOrEqual(totalBytes);
    }

    const kept = at.pathsOfParts();
    expect(kept).toEqual(paths.slice(-kept.length));
    expect(sizeOf(at)).toBeGreaterThan(totalBytes * 0.8);
  });

  it('never exceed total-size-cap over several days: the oldest are deleted first', async () => {
    const bytesOfDay = 74;
    const at = stage({ totalBytes: 10 * bytesOfDay });
    writeDays(at, 40);

    await at.log.close();

    const names = readdirSync(at.folder).toSorted();
    expect(names.at(-1)).toBe('access_log.2026-12-30.log');
    expect(names).toHaveLength(10);
  });

  it('a restart continues the last part of the day', async () => {
    const first = stage({ totalBytes: 100_000 });
    for (let number = 0; number < 400; number += 1) first.request(`/${number}`);
    await first.log.close();
    const parts = readdirSync(first.folder).length;
    const second = stage({ folder: first.folder, totalBytes: 100_000 });
    second.request('/second');
    await second.log.close();

    expect(parts).toBeGreaterThan(1);
    expect(readdirSync(first.folder)).toHaveLength(parts);
    expect(second.pathsIn(`access_log.2026-11-21.${parts - 1}.log`).at(-1)).toBe('/second');
  });
});

describe('R12: requests are not affected', () => {
  it('the next lines are in a new file if the file is moved away', async () => {
    const at = stage();
    at.request('/before');
    await at.seen('/before');
    renameSync(at.file(), at.file('moved'));

    at.request('/after');
    await at.seen('/after');

    expect(at.pathsIn('moved')).toEqual(['/before']);
    expect(at.pathsIn()).toEqual(['/after']);
    expect(at.messages).toEqual([]);
  });

  it('the folder is created again if it is removed', async () => {
    const at = stage();
    await at.log.open();
    rmSync(at.folder, { recursive: true });

    at.request('/after');
    await at.seen('/after');

    expect(at.messages).toEqual([]);
  });

  it('a folder that cannot be created causes one warning, a retry every minute, and a message when it succeeds', async () => {
    const at = stage();
    mkdirSync(join(at.folder, '..'), { recursive: true });
    writeFileSync(at.folder, '');

    await at.log.open();
    at.request('/a');
    for (let minute = 0; minute < 3; minute += 1) {
      at.clock.advance(60);
      await at.log.open();
    }
    expect(at.messages).toEqual([
      `WARN The access log ${at.file()} cannot be written (ENOTDIR: not a directory). Requests are not affected; ` +
        'their lines wait, 4 MB of them at most. The service tries again every minute.',
    ]);

    rmSync(at.folder);
    at.clock.advance(60);
    await at.complained(2);

    expect(at.messages[1]).toBe(`WARN The access log is written again to ${at.file()}; no lines are lost.`);
    expect(at.pathsIn()).toEqual(['/a']);
  });

  it('lines wait if the disk is full, and those beyond the limit are counted', async () => {
    const at = stage();
    mkdirSync(at.folder, { recursive: true });
    symlinkSync('/dev/full', at.file());
    at.request(LONG_PATH);
    await at.log.open();

    for (let number = 1; number < WAITING + 7; number += 1) at.request(LONG_PATH);
    rmSync(at.file());
    at.clock.advance(-60);
    await at.complained(2);

    expect(at.messages).toHaveLength(2);
    expect(at.messages[0]).toContain('(ENOSPC: no space left on device)');
    expect(at.messages[1]).toMatch(/; 7 lines are lost\.$/);
    expect(at.pathsIn()).toHaveLength(WAITING);
  });

  it('lines beyond the limit are counted if the disk is too slow', async () => {
    const at = stage();

    for (let number = 0; number < WAITING + 1; number += 1) at.request(LONG_PATH);
    await at.log.close();

    expect(at.messages).toEqual([
      expect.stringContaining('(the disk does not keep up)'),
      expect.stringMatching(/; 1 line is lost\.$/),
    ]);
    expect(at.pathsIn()).toHaveLength(WAITING);
  });

  it('the file of the next day is written if a folder has the name of the file', async () => {
    const at = stage();
    mkdirSync(at.file(), { recursive: true });
    at.request('/evening');
    await at.complained(1);

    at.clock.advance(15 * 60);
    at.request('/night');
    await at.seen('/night', TOMORROW);
    // The line is in the file a moment before that is told.
    await at.complained(2);

    expect(at.messages).toEqual([
      expect.stringContaining('(EISDIR: illegal operation on a directory)'),
      expect.stringMatching(/2026-11-21\.log; 1 line is lost\.$/),
    ]);
  });

  it('a file that is a pipe without a reader causes a warning', async () => {
    const at = stage();
    mkdirSync(at.folder, { recursive: true });
    execFileSync('mkfifo', [at.file()]);

    for (let number = 0; number < 100; number += 1) at.request(LONG_PATH);
    await at.log.close();

    expect(at.messages[0]).toContain('(EAGAIN: resource temporarily unavailable)');
  });
});
