import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/programs/temporary-folder.js';
import { CodeCache } from './code-cache.js';

describe('CodeCache', () => {
  let folder: string;

  beforeEach(() => {
    folder = temporaryFolder('code-cache');
    writeBundle('first');
  });

  function writeBundle(word: string): void {
    writeFileSync(join(folder, 'service.cjs'), `exports.word = function () { return '${word}'; };`);
  }

  /** Loads the bundle as a new process would, and returns what an import then gets. */
  function load(): { readonly cache: CodeCache; readonly word: string } {
    const file = join(folder, 'service.cjs');
    const importer = createRequire(join(folder, 'importer.cjs'));
    Reflect.deleteProperty(importer.cache, file);
    const cache = CodeCache.load(folder);
    expect(importer.cache).toHaveProperty([file]);
    return { cache, word: (importer('./service.cjs') as { readonly word: () => string }).word() };
  }

  const cacheFiles = (): readonly string[] => readdirSync(folder).filter((file) => file.includes('.code'));
  const inodes = (): readonly number[] => cacheFiles().map((file) => statSync(join(folder, file)).ino);
  const cacheFile = (): string => join(folder, cacheFiles()[0] ?? '');

  it('runs the bundle, so that an import finds its exports', () => {
    expect(load().word).toBe('first');
  });

  it('does nothing in a folder without a bundle', () => {
    const empty = temporaryFolder('code-cache');

    CodeCache.load(empty).save();

    expect(readdirSync(empty)).toEqual([]);
  });

  it('keeps the compiled code once, and does not replace it after a load that uses it', () => {
    load().cache.save();
    const ids = inodes();
    expect(ids).toHaveLength(1);

    const { cache, word } = load();
    cache.save();

    expect({ word, ids: inodes() }).toEqual({ word: 'first', ids });
  });

  it('does not run the code of an earlier source of the same length', () => {
    load().cache.save();
    writeBundle('other');

    const { cache, word } = load();
    cache.save();

    expect([word, load().word]).toEqual(['other', 'other']);
  });

  it.each([
    [
      'a changed byte',
      (path: string) => {
        const bytes = readFileSync(path);
        bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 255, bytes.length >> 1);
        writeFileSync(path, bytes);
      },
    ],
    [
      'half of the bytes',
      (path: string) => {
        truncateSync(path, statSync(path).size >> 1);
      },
    ],
    [
      'no bytes',
      (path: string) => {
        truncateSync(path, 0);
      },
    ],
  ])('compiles the source if the kept code has %s, and replaces that code', (_, damage) => {
    load().cache.save();
    const intact = readFileSync(cacheFile());
    damage(cacheFile());
    const damaged = readFileSync(cacheFile());

    const { cache, word } = load();
    cache.save();

    expect(word).toBe('first');
    expect(readFileSync(cacheFile())).toHaveLength(intact.length);
    expect(readFileSync(cacheFile())).not.toEqual(damaged);
  });

  it('runs without kept code where none can be written, and leaves no draft', () => {
    load().cache.save();
    const path = cacheFile();
    rmSync(path);
    mkdirSync(join(path, 'occupied'), { recursive: true });
    const before = readdirSync(folder);

    const { cache, word } = load();
    cache.save();

    expect(word).toBe('first');
    expect(readdirSync(folder)).toEqual(before);
  });
});
