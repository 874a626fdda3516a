import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { CodeCache } from './code-cache.js';

describe('CodeCache', () => {
  let folder: string;

  beforeEach(() => {
    folder = temporaryFolder('code-cache');
    writeBundle('first');
  });

  function writeBundle(word: string): void {
    writeFileSync(
      join(folder, 'base.cjs'),
      `exports.word = function () { return '${word}'; };\nexports.id = Symbol();\n`,
    );
    writeFileSync(join(folder, 'service.cjs'), `exports.base = require('./base.cjs');\n`);
  }

  /** Loads the bundle as a new process would, and returns what its modules export to others. */
  function load(): { readonly cache: CodeCache; readonly word: string; readonly isShared: boolean } {
    const importer = createRequire(join(folder, 'importer.cjs'));
    for (const file of ['base.cjs', 'service.cjs']) Reflect.deleteProperty(importer.cache, join(folder, file));
    const cache = CodeCache.load(folder);
    const base = importer('./base.cjs') as { readonly word: () => string };
    const service = importer('./service.cjs') as { readonly base: unknown };
    return { cache, word: base.word(), isShared: service.base === base };
  }

  const keptFiles = (): readonly string[] => readdirSync(folder).filter((file) => file.includes('.code'));
  const keptIds = (): readonly number[] => keptFiles().map((file) => statSync(join(folder, file)).ino);
  const keptBase = (): string => join(folder, keptFiles().find((file) => file.startsWith('base.cjs')) ?? '');

  it('runs the files of the bundle, so that an import finds their exports', () => {
    expect(load()).toMatchObject({ word: 'first', isShared: true });
  });

  it('does nothing in a folder without a bundle', () => {
    const empty = temporaryFolder('code-cache');

    CodeCache.load(empty).save();

    expect(readdirSync(empty)).toEqual([]);
  });

  it('keeps the compiled code of both files once, and uses it at the next load', () => {
    load().cache.save();
    const ids = keptIds();
    expect(ids).toHaveLength(2);

    const { cache, word, isShared } = load();
    cache.save();

    expect({ word, isShared, ids: keptIds() }).toEqual({ word: 'first', isShared: true, ids });
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
    const intact = readFileSync(keptBase());
    damage(keptBase());
    const damaged = readFileSync(keptBase());

    const { cache, word } = load();
    cache.save();

    expect(word).toBe('first');
    expect(readFileSync(keptBase())).toHaveLength(intact.length);
    expect(readFileSync(keptBase())).not.toEqual(damaged);
  });

  it('runs without kept code where none can be written, and leaves no draft', () => {
    load().cache.save();
    const path = keptBase();
    rmSync(path);
    mkdirSync(join(path, 'occupied'), { recursive: true });
    const before = readdirSync(folder);

    const { cache, word } = load();
    cache.save();

    expect(word).toBe('first');
    expect(readdirSync(folder)).toEqual(before);
  });
});
