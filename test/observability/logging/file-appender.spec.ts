import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../../support/programs/manual-clock.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';
import { waitUntil } from '../../support/runner/wait-until.js';
import { withRequestContext } from '../../../src/kernel/principal/request-context.js';
import { charsetNamed, UTF_8 } from '../../../src/kernel/encoding/charset.js';
import { FileAppender, type FileAppenderOptions } from '../../../src/observability/logging/file/file-appender.js';
import type { LineLevel } from '../../../src/observability/logging/level.js';
import { logContext } from '../../../src/observability/logging/log-context.js';

/** An instant a quarter of an hour before midnight, local time. */
const EVENING = new Date(2026, 10, 21, 23, 45).getTime() / 1000;
const DAY = 24 * 3600;
const NAME = 'service.log';

class Stage {
  readonly clock: ManualClock;
  readonly folder: string;
  readonly warnings: string[] = [];
  readonly log: FileAppender;

  constructor(options: Partial<FileAppenderOptions> = {}, before?: Stage) {
    this.folder = before?.folder ?? join(temporaryFolder('log-file'), 'a', 'logs');
    this.clock = before?.clock ?? new ManualClock(EVENING);
    this.log = new FileAppender({
      file: this.path(),
      format: ({ message }) => message,
      charset: UTF_8,
      maxFileBytes: 1_000_000,
      maxHistory: 0,
      totalSizeCapBytes: 0,
      fileNamePattern: undefined,
      cleanHistoryOnStart: false,
      clock: this.clock,
      warn: (text) => this.warnings.push(text),
      ...options,
    });
  }

  path(name = NAME): string {
    return join(this.folder, name);
  }

  say(message: string, level: LineLevel = 'INFO'): void {
    this.log.append({ at: this.clock.millis(), level, logger: 'a', message, thread: 'main' });
  }

  /** Writes the waiting lines, and waits for the work on archives. */
  async written(): Promise<void> {
    await this.log.open();
    await this.log.tidied();
  }

  put(name: string, content: string | Buffer): void {
    mkdirSync(this.folder, { recursive: true });
    writeFileSync(this.path(name), content);
  }

  get names(): readonly string[] {
    return readdirSync(this.folder).sort();
  }

  linesIn(name = NAME): readonly string[] {
    if (!existsSync(this.path(name))) return [];
    const bytes = readFileSync(this.path(name));
    return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString().split('\n').slice(0, -1);
  }

  /** The lines of the archives, oldest first, and of the file. */
  get allLines(): readonly string[] {
    const order = (name: string): string => name.replace(/\.(\d+)\.gz$/, (_, index: string) => index.padStart(9, '0'));
    const archives = this.names.filter((name) => name !== NAME).sort((a, b) => (order(a) < order(b) ? -1 : 1));
    return [...archives, NAME].flatMap((name) => this.linesIn(name));
  }
}

/** Only root can create a disk of any size, and not in every container. */
const canMount = ((): boolean => {
  const folder = mkdtempSync(join(tmpdir(), 'mount-'));
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]).status === 0;
  if (isMounted) execFileSync('umount', [folder]);
  rmdirSync(folder);
  return isMounted;
})();

const opened: Stage[] = [];

function stage(options?: Partial<FileAppenderOptions>, before?: Stage): Stage {
  const made = new Stage(options, before);
  opened.push(made);
  return made;
}

function numbered(count: number): readonly string[] {
  return Array.from({ length: count }, (_, number) => `line ${String(number).padStart(4, '0')}`);
}

afterEach(async () => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  await Promise.all(opened.splice(0).map(({ log }) => log.close()));
});

describe('the log file', () => {
  it('opening creates the file and its folder, readable by owner and group only', async () => {
    const at = stage();

    await at.log.open();

    expect(statSync(at.folder).mode & 0o777).toBe(0o750);
    expect(statSync(at.path()).mode & 0o777).toBe(0o640);
  });

  it('lines are written within a second, in order, in UTF-8', async () => {
    const at = stage();
    for (const line of numbered(500)) at.say(line);
    at.say('größer € 🔒');

    await waitUntil('the lines are there', () => at.linesIn().length === 501);

    expect(at.linesIn()).toEqual([...numbered(500), 'größer € 🔒']);
  });

  it('an ERROR line is written at once, together with the lines before it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const at = stage();
    at.say('info');
    at.say('error', 'ERROR');

    await waitUntil('the lines are there', () => at.linesIn().length === 2);

    expect(at.linesIn()).toEqual(['info', 'error']);
  });

  it('a line whose formatter throws is replaced by a fixed text', async () => {
    const at = stage({
      format: ({ message }) => {
        if (message === 'odd') throw new TypeError();
        return message;
      },
    });
    at.say('odd');

    await at.log.close();

    expect(at.linesIn()).toEqual(['a line that cannot be shown']);
  });

  it('a new run appends, and ends a line that a crash cut off', async () => {
    const first = stage();
    first.say('first');
    await first.log.close();
    appendFileSync(first.path(), 'torn');
    const second = stage({}, first);
    second.say('second');
    await second.log.close();

    expect(second.linesIn()).toEqual(['first', 'torn', 'second']);
  });

  it('a text of several lines that ends with a line break is written unchanged', async () => {
    const at = stage();
    at.say('it broke\n  at here\n  at there\n');
    at.say('next');

    await at.log.close();

    expect(at.linesIn()).toEqual(['it broke', '  at here', '  at there', 'next']);
  });
});

describe('rotation by size', () => {
  it('rotates before the file would become too large, without losing or reordering lines', async () => {
    const at = stage({ maxFileBytes: 100 });
    for (const line of numbered(50)) at.say(line);

    await at.written();

    expect(at.allLines).toEqual(numbered(50));
    expect(at.names.filter((name) => name !== NAME)).toEqual([
      'service.log.2026-11-21.0.gz',
      'service.log.2026-11-21.1.gz',
      'service.log.2026-11-21.2.gz',
      'service.log.2026-11-21.3.gz',
    ]);
    expect(at.linesIn('service.log.2026-11-21.0.gz').join('\n')).toHaveLength(99);
    expect(statSync(at.path('service.log.2026-11-21.0.gz')).mode & 0o777).toBe(0o640);
  });

  it('counts bytes, not characters', async () => {
    const at = stage({ maxFileBytes: 13 });
    for (let number = 0; number < 3; number += 1) at.say('€€€');

    await at.written();

    expect(at.linesIn('service.log.2026-11-21.0.gz')).toEqual(['€€€']);
    expect(at.allLines).toHaveLength(3);
  });

  it('writes in the configured character set and counts its bytes', async () => {
    const at = stage({ maxFileBytes: 10, charset: charsetNamed('EUC-KR') });
    for (const line of ['한글', '한글', '登ü']) at.say(line);

    await at.written();

    const [packed, present] = [readFileSync(at.path('service.log.2026-11-21.0.gz')), readFileSync(at.path())];
    expect(gunzipSync(packed).toString('hex')).toBe('c7d1b1db0a'.repeat(2));
    // A character outside the character set is written as a question mark.
    expect(present.toString('hex')).toBe('d4f43f0a');
  });

  it('writes a line that exceeds the limit into a file of its own', async () => {
    const at = stage({ maxFileBytes: 10 });
    const long = 'x'.repeat(50);
    for (const line of ['a', long, 'b']) at.say(line);

    await at.written();

    expect(at.linesIn('service.log.2026-11-21.1.gz')).toEqual([long]);
    expect(at.allLines).toEqual(['a', long, 'b']);
  });

  it('includes the lines of an earlier run in the size, and continues the numbering', async () => {
    const first = stage({ maxFileBytes: 100 });
    for (const line of numbered(15)) first.say(line);
    await first.log.close();
    const second = stage({ maxFileBytes: 100 }, first);
    // The file system does not use the clock of the test.
    utimesSync(first.path(), EVENING, EVENING);
    for (const line of numbered(30).slice(15)) second.say(line);
    await second.written();

    expect(second.allLines).toEqual(numbered(30));
    expect(second.names).toContain('service.log.2026-11-21.1.gz');
  });

  it('rotates under load without losing or reordering lines', async () => {
    const at = stage({ maxFileBytes: 20_000 });
    const lines = numbered(10_000);
    for (const [index, line] of lines.entries()) {
      at.say(line);
      if (index % 500 === 0) await new Promise(setImmediate);
    }

    await at.log.close();
    await stage({}, at).written();

    expect(at.allLines).toEqual(lines);
    expect(at.names.every((name) => name === NAME || name.endsWith('.gz'))).toBe(true);
  });
});

describe('rotation by day', () => {
  it('starts a new file with the first line after local midnight', async () => {
    const at = stage();
    at.say('evening');
    at.clock.advance(15 * 60 - 0.001);
    at.say('last');
    at.clock.advance(0.001);
    at.say('night');

    await at.written();

    expect(at.linesIn('service.log.2026-11-21.0.gz')).toEqual(['evening', 'last']);
    expect(at.linesIn()).toEqual(['night']);
  });

  it('uses the time zone of the process for midnight', async () => {
    vi.stubEnv('TZ', 'Asia/Kathmandu');
    const at = stage();
    at.clock.set(Date.UTC(2026, 10, 21, 18, 14, 59) / 1000);
    at.say('before');
    at.clock.advance(1);
    at.say('after');

    await at.written();

    expect(at.linesIn('service.log.2026-11-21.0.gz')).toEqual(['before']);
    expect(at.linesIn()).toEqual(['after']);
  });

  it('keeps the day of all archives while the clock stands still', async () => {
    const at = stage({ maxFileBytes: 10 });
    for (const line of numbered(120)) at.say(line);

    await at.written();

    expect(at.allLines).toEqual(numbered(120));
    expect(at.names.every((name) => name === NAME || name.startsWith('service.log.2026-11-21.'))).toBe(true);
  });

  it('creates no archive for a day without lines', async () => {
    const at = stage();
    at.say('a');
    at.clock.advance(5 * DAY);
    at.say('b');
    await at.written();
    at.clock.advance(2 * DAY);
    at.say('c');
    await at.written();

    expect(at.names).toEqual([NAME, 'service.log.2026-11-21.0.gz', 'service.log.2026-11-26.0.gz']);
  });

  it('adds archives to a day that repeats because the clock was set back', async () => {
    const at = stage();
    for (let times = 0; times < 3; times += 1) {
      at.say(`evening ${times}`);
      await at.written();
      at.clock.advance(DAY);
      at.say(`morning ${times}`);
      await at.written();
      at.clock.advance(-DAY);
    }

    expect(at.names).toEqual([
      NAME,
      'service.log.2026-11-21.0.gz',
      'service.log.2026-11-21.1.gz',
      'service.log.2026-11-21.2.gz',
    ]);
    expect(at.allLines).toHaveLength(6);
  });

  it('archives the file of an earlier run under the day of its last change', async () => {
    const first = stage();
    first.say('yesterday');
    await first.log.close();
    utimesSync(first.path(), EVENING, EVENING);
    first.clock.advance(DAY);
    const second = stage({}, first);
    second.say('today');
    await second.written();

    expect(second.linesIn('service.log.2026-11-21.0.gz')).toEqual(['yesterday']);
    expect(second.linesIn()).toEqual(['today']);
  });
});

describe('log history', () => {
  const OLD = ['service.log.2026-11-14.0.gz', 'service.log.2026-11-13.0.gz', 'service.log.2026-11-13.1.gz'];

  it('maxHistory counts days, not files, and deletes only archives', async () => {
    const at = stage({ maxHistory: 7, maxFileBytes: 10 });
    const others = ['service.log.2020-01-01.gz', 'other.log.2020-01-01.0.gz', 'service.log.2020-01-01.0.gz.bak'];
    for (const name of [...OLD, ...others]) at.put(name, gzipSync('old\n'));
    mkdirSync(at.path('service.log.2020-01-01.5.gz'));
    for (const line of numbered(20)) at.say(line);

    await at.written();

    expect(at.names).toEqual(expect.arrayContaining([OLD[0], ...others, 'service.log.2020-01-01.5.gz']));
    expect(at.names).not.toContain(OLD[1]);
    expect(at.names).not.toContain(OLD[2]);
    expect(at.linesIn('service.log.2026-11-21.0.gz')).toEqual(['line 0000']);
  });

  it('maxHistory is applied at a rotation, not before', async () => {
    const at = stage({ maxHistory: 7 });
    for (const name of OLD) at.put(name, gzipSync('old\n'));
    at.say('a');

    await at.written();

    expect(at.names).toEqual([NAME, ...OLD].sort());
  });

  it('cleanHistoryOnStart applies maxHistory at startup', async () => {
    const at = stage({ maxHistory: 7, cleanHistoryOnStart: true });
    for (const name of OLD) at.put(name, gzipSync('old\n'));

    await at.written();

    expect(at.names).toEqual([NAME, OLD[0]]);
  });

  it('maxHistory 0 keeps all archives', async () => {
    const at = stage();
    at.put('service.log.1999-01-01.0.gz', gzipSync('old\n'));
    at.say('a');
    at.clock.advance(DAY);
    at.say('b');

    await at.written();

    expect(at.names).toContain('service.log.1999-01-01.0.gz');
  });

  it('totalSizeCap deletes the oldest archives after those that are too old', async () => {
    const at = stage({ maxHistory: 7, totalSizeCapBytes: 2500 });
    at.put('service.log.2026-11-10.0.gz', Buffer.alloc(1));
    at.put('service.log.2026-11-19.0.gz', Buffer.alloc(1));
    at.put('service.log.2026-11-20.9.gz', Buffer.alloc(1000));
    at.put('service.log.2026-11-20.10.gz', Buffer.alloc(1000));
    at.put('service.log.2026-11-21.0.gz', Buffer.alloc(1400));
    at.say('a');
    at.clock.advance(DAY);
    at.say('b');

    await at.written();

    expect(at.names).toEqual([
      NAME,
      'service.log.2026-11-20.10.gz',
      'service.log.2026-11-21.0.gz',
      'service.log.2026-11-21.1.gz',
    ]);
  });
});

describe('log archives', () => {
  it('fileNamePattern sets folder and names, and without .gz the archives stay uncompressed', async () => {
    const folder = temporaryFolder('archive');
    const at = stage({ fileNamePattern: join(folder, 'old', '%d{yyyyMMdd}-%i.log') });
    at.say('a');
    at.clock.advance(DAY);
    at.say('b');
    await at.written();

    expect(readdirSync(join(folder, 'old'))).toEqual(['20261121-0.log']);
    expect(readFileSync(join(folder, 'old', '20261121-0.log'), 'utf8')).toBe('a\n');
  });

  it('startup packs the archives that a crash left unpacked', async () => {
    const at = stage();
    const half = gzipSync('one\n').subarray(0, 7);
    at.put('service.log.2026-11-20.0', 'one\n');
    at.put('service.log.2026-11-20.0.gz.tmp', half);
    at.put('service.log.2026-11-20.1', 'two\n');
    at.put('service.log.2026-11-20.1.gz', gzipSync('two\n'));
    at.put('service.log.2026-11-19.3.gz.tmp', half);

    await at.written();

    expect(at.names).toEqual([NAME, 'service.log.2026-11-20.0.gz', 'service.log.2026-11-20.1.gz']);
    expect(at.allLines).toEqual(['one', 'two']);
  });

  it('if archiving fails, the file grows, one warning is logged, and each minute is a new attempt', async () => {
    const folder = temporaryFolder('archive');
    const inTheWay = join(folder, 'old');
    writeFileSync(inTheWay, '');
    const at = stage({ maxFileBytes: 10, fileNamePattern: join(inTheWay, '%d.%i.gz') });
    for (const line of numbered(5)) at.say(line);
    await at.written();
    at.clock.advance(60);
    at.say('more');
    await at.written();

    expect(at.linesIn()).toEqual([...numbered(5), 'more']);
    expect(at.warnings).toEqual([
      `The log file ${at.path()} grows because it cannot be moved to its archive (EEXIST: file already exists). ` +
        'The service tries again every minute.',
    ]);

    rmSync(inTheWay);
    at.clock.advance(60);
    at.say('next');
    await at.written();

    expect(at.linesIn()).toEqual(['next']);
    expect(gunzipSync(readFileSync(join(inTheWay, '2026-11-21.0.gz'))).toString()).toContain('more\n');
    expect(at.warnings).toHaveLength(1);
  });

  it('rotation of a symbolic link archives its target and keeps the link', async () => {
    const at = stage();
    const real = temporaryFolder('real');
    mkdirSync(at.folder, { recursive: true });
    symlinkSync(join(real, 'real.log'), at.path());
    at.say('a');
    at.clock.advance(DAY);
    at.say('b');

    await at.written();

    expect(at.linesIn('service.log.2026-11-21.0.gz')).toEqual(['a']);
    expect(readFileSync(join(real, 'real.log'), 'utf8')).toBe('b\n');
  });

  it("two services with the same file do not overwrite each other's archives", async () => {
    const one = stage({ maxFileBytes: 500 });
    const other = stage({ maxFileBytes: 500 }, one);
    for (const line of numbered(400)) {
      one.say(`1 ${line}`);
      other.say(`2 ${line}`);
      if (line.endsWith('0')) await Promise.all([one.log.open(), other.log.open()]);
    }

    await Promise.all([one.written(), other.written()]);
    await stage({}, one).written();

    const expected = numbered(400).flatMap((line) => [`1 ${line}`, `2 ${line}`]);
    expect(one.allLines.toSorted()).toEqual(expected.toSorted());
    expect([...one.warnings, ...other.warnings]).toEqual([]);
  });
});

describe('R12: an unusable log file never affects requests', () => {
  it('the file is created again after it or its folder was removed', async () => {
    const at = stage();
    at.say('before');
    await at.written();
    renameSync(at.path(), at.path('moved'));
    at.say('between');
    await at.written();
    expect(at.linesIn('moved')).toEqual(['before']);
    expect(at.linesIn()).toEqual(['between']);
    rmSync(at.folder, { recursive: true });

    at.say('after');
    await at.written();

    expect(at.linesIn()).toEqual(['after']);
    expect(at.warnings).toEqual([]);
  });

  it('without a folder, one warning is logged, each minute is a new attempt, and the recovery is logged', async () => {
    const at = stage();
    mkdirSync(join(at.folder, '..'), { recursive: true });
    writeFileSync(at.folder, '');
    at.say('a');
    for (let minute = 0; minute < 3; minute += 1) {
      await at.log.open();
      at.clock.advance(60);
    }
    expect(at.warnings).toEqual([
      `The log file ${at.path()} cannot be written (ENOTDIR: not a directory). Requests are not affected; ` +
        'their lines wait, 4 MB of them at most. The service tries again every minute.',
    ]);

    rmSync(at.folder);
    await waitUntil('it is told', () => at.warnings.length === 2);

    expect(at.warnings[1]).toBe(`The log file is written again to ${at.path()}; no lines are lost.`);
    expect(at.linesIn()).toEqual(['a']);
  });

  it('the warning about a missing folder carries no request context', async () => {
    const contexts: unknown[] = [];
    const at = stage({ warn: () => contexts.push(logContext()) });
    mkdirSync(join(at.folder, '..'), { recursive: true });
    writeFileSync(at.folder, '');

    withRequestContext({ requestId: 'a', ip: '192.0.2.1' }, () => {
      at.say('a', 'ERROR');
    });
    await waitUntil('it is told', () => contexts.length === 1);

    expect(contexts).toEqual([undefined]);
  });

  it('on a full disk, lines wait over midnight in order, and lines beyond the limit are counted', async () => {
    const at = stage({ maxFileBytes: 10_000_000 });
    mkdirSync(at.folder, { recursive: true });
    symlinkSync('/dev/full', at.path());
    at.say('evening', 'ERROR');
    await at.log.open();
    at.clock.advance(DAY);
    at.say('next day');
    const long = 'x'.repeat(1023);
    for (let number = 0; number < 4 * 1024 + 5; number += 1) at.say(long);

    rmSync(at.path());
    at.clock.advance(60);
    await waitUntil('it is told', () => at.warnings.length === 2);
    await at.log.tidied();

    expect(at.warnings).toEqual([
      expect.stringContaining('(ENOSPC: no space left on device)'),
      expect.stringMatching(/; 6 lines are lost\.$/),
    ]);
    expect(at.linesIn('service.log.2026-11-21.0.gz')).toEqual(['evening']);
    expect(at.linesIn()[0]).toBe('next day');
    expect(at.linesIn()).toHaveLength(4 * 1024);
  });

  it.skipIf(!canMount)('on a real full disk, no line is lost and unfinished archives are packed later', async () => {
    const at = stage({ maxFileBytes: 20_000, maxHistory: 1 });
    const disk = mounted(at.folder, '64k');
    try {
      // Random lines compress badly.
      const lines = Array.from({ length: 4000 }, (_, number) => createHash('sha256').update(`${number}`).digest('hex'));
      for (const line of lines) at.say(line);
      await waitUntil('it is told', () => at.warnings.length === 1);
      expect(at.warnings).toEqual([expect.stringContaining('(ENOSPC: no space left on device)')]);
      at.clock.advance(60);
      at.say('still running');
      await at.written();
      expect(at.warnings).toHaveLength(1);

      execFileSync('mount', ['-o', 'remount,size=2m', disk]);
      at.clock.advance(60);
      await waitUntil('it is told', () => at.warnings.length === 2);
      await at.log.close();
      await stage({}, at).written();

      expect(at.warnings[1]).toMatch(/; no lines are lost\.$/);
      // A torn line precedes its complete copy.
      const isCut = (line: string, index: number, all: readonly string[]): boolean =>
        !!all[index + 1]?.startsWith(line);
      expect(at.allLines.filter((...line) => !isCut(...line))).toEqual([...lines, 'still running']);
      expect(at.names.filter((name) => !/\.log$|\.gz$/.test(name))).toEqual([]);
    } finally {
      await at.log.close();
      execFileSync('umount', ['-l', disk]);
    }
  });
});

function mounted(folder: string, size: string): string {
  mkdirSync(folder, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]);
  return folder;
}
