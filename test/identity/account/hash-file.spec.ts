import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { sha1Of } from '../../support/http/range-server.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';
import { HashFile } from '../../../src/identity/account/password/breached/hash-file.js';
import { hashFileProblem } from '../../../src/identity/account/password/breached/hash-file-check.js';

const folder = temporaryFolder('hash-file');
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const LIMIT_MILLIS = 30_000;
let files = 0;
function written(content: string): string {
  files += 1;
  const path = join(folder, `hashes-${files}.txt`);
  writeFileSync(path, content);
  return path;
}

/** 1200 hashes in order; the counts have one to four digits, so that lines differ in length. */
const HASHES = Array.from({ length: 1200 }, (_, index) => sha1Of(`breached ${index}`)).sort();
const LINES = HASHES.map((sha1, index) => `${sha1}:${index + 1}`);

describe('a look-up in a file of hashes', () => {
  it('ends after the limit if the storage hangs, and others fail at once until it responds', async () => {
    const reads: PromiseWithResolvers<number>[] = [];
    const file = new HashFile('hashes', 20, () => {
      const read = Promise.withResolvers<number>();
      reads.push(read);
      return read.promise;
    });

    await expect(file.occurrences('A')).rejects.toThrow('it was not read within 20 ms');
    await expect(file.occurrences('A')).rejects.toThrow('its storage does not respond');
    expect(reads).toHaveLength(1);
    reads[0]?.reject(new Error('the storage has failed'));
    await new Promise(setImmediate);
    const again = file.occurrences('A');
    reads[1]?.resolve(7);

    expect(await again).toBe(7);
  });

  it.each([
    ['ended by line feeds', `${LINES.join('\n')}\n`],
    ['without an end of the last line', LINES.join('\n')],
    ['ended by carriage returns and line feeds', `${LINES.join('\r\n')}\r\n`],
    ['in lower case', `${LINES.join('\n').toLowerCase()}\n`],
  ])('finds every hash of a file of lines %s, and no other one', async (_, content) => {
    const file = new HashFile(written(content), LIMIT_MILLIS);
    const found = await Promise.all(HASHES.map((sha1) => file.occurrences(sha1)));
    const beside = await Promise.all(
      ['0'.repeat(40), 'F'.repeat(40), ...HASHES.slice(0, 100).map((sha1) => sha1Of(sha1))].map((sha1) =>
        file.occurrences(sha1),
      ),
    );

    expect(found).toEqual(HASHES.map((__, index) => index + 1));
    expect(new Set(beside)).toEqual(new Set([0]));
  });

  it('finds a hash without a count, with a count that every minimum accepts', async () => {
    expect(await new HashFile(written(HASHES.join('\n')), LIMIT_MILLIS).occurrences(HASHES[1] ?? '')).toBe(Infinity);
  });

  it('finds the hash of a file with one line', async () => {
    const file = new HashFile(written(`${HASHES[0] ?? ''}:3`), LIMIT_MILLIS);

    expect([await file.occurrences(HASHES[0] ?? ''), await file.occurrences(HASHES[1] ?? '')]).toEqual([3, 0]);
  });

  it('does not load the file: in one of 4 TiB without hashes, it fails at the first line that it reads', async () => {
    const path = written('');
    truncateSync(path, 2 ** 42);

    await expect(new HashFile(path, LIMIT_MILLIS).occurrences(HASHES[0] ?? '')).rejects.toThrow('is not a SHA-1 hash');
  });

  it('uses a file that has replaced the one of the start', async () => {
    const path = written(LINES.slice(0, 10).join('\n'));
    const file = new HashFile(path, LIMIT_MILLIS);
    const before = await file.occurrences(HASHES[20] ?? '');
    writeFileSync(path, LINES.join('\n'));

    expect([before, await file.occurrences(HASHES[20] ?? '')]).toEqual([0, 21]);
  });

  it('fails without a hash in its message if the file is gone', async () => {
    const file = new HashFile(join(folder, 'gone.txt'), LIMIT_MILLIS);

    await expect(file.occurrences(HASHES[0] ?? '')).rejects.toThrow('it cannot be read (ENOENT)');
  });
});

describe('the check of a file of hashes at startup', () => {
  it.each([
    ['counts', `${LINES.join('\n')}\n`],
    ['carriage returns', LINES.join('\r\n')],
    ['no counts', HASHES.join('\n')],
    ['one line', `${LINES[0] ?? ''}\n`],
  ])('accepts a sorted file with %s', async (_, content) => {
    expect(await hashFileProblem(written(content))).toBeUndefined();
  });

  const swapped = [...LINES];
  [swapped[1198], swapped[1199]] = [swapped[1199] ?? '', swapped[1198] ?? ''];
  it.each([
    ['is empty', '', 'it is empty'],
    ['is sorted by counts', [...LINES].reverse().join('\n'), 'its hashes are not in ascending order'],
    ['has two lines in the wrong order', [LINES[1], LINES[0]].join('\n'), 'its hashes are not in ascending order'],
    ['is unsorted at its end', swapped.join('\n'), 'its hashes are not in ascending order'],
    ['has NTLM hashes', HASHES.map((sha1) => sha1.slice(0, 32)).join('\n'), 'the line at byte 0 is not a SHA-1 hash'],
    ['begins with a mark of its encoding', `\uFEFF${LINES.join('\n')}`, 'the line at byte 0 is not a SHA-1 hash'],
    ['has passwords', 'password\n123456\n', 'the line at byte 0 is not a SHA-1 hash'],
    ['has an empty line at its end', `${LINES.join('\n')}\n\n`, 'is not a SHA-1 hash'],
    ['has one endless line', 'A'.repeat(100_000), 'the line at byte 0 is not a SHA-1 hash'],
  ])('refuses a file that %s', async (_, content, fault) => {
    expect(await hashFileProblem(written(content))).toContain(fault);
  });

  it('refuses a folder, a pipe and a file that does not exist', async () => {
    const [below, pipe] = [join(folder, 'below'), join(folder, 'pipe')];
    mkdirSync(below);
    execFileSync('mkfifo', [pipe]);

    expect(await hashFileProblem(below)).toBe('it is not a file');
    expect(await hashFileProblem(pipe)).toBe('it is not a file');
    expect(await hashFileProblem(join(folder, 'missing'))).toBe('it cannot be read (ENOENT)');
  });
});
