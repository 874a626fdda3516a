import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { effective, place, problemsOf, valueOf } from '../support.js';

const read = { args: ['--app.config.import=configtree:secrets/'] };

describe('config trees', () => {
  it('each file of a config tree is one key, named by its path', () => {
    const at = place({
      'work/secrets/db/password': 'hunter2\n',
      'work/secrets/db.user': 'login',
      'work/secrets/server/port': '9000\r\n',
    });

    const reading = at.read(read);

    expect(problemsOf(reading)).toEqual([]);
    expect(effective(reading, 'db.password')).toEqual({
      value: 'hunter2',
      origin:
        'file [secrets/db/password] - 1:1, imported from "app.config.import" from property source "commandLineArgs"',
    });
    expect(valueOf(reading, 'db.user')).toBe('login');
    expect(valueOf(reading, 'server.port')).toBe('9000');
  });

  it('a config tree removes exactly one line break at the end of a value', () => {
    const at = place({
      'work/secrets/a': ' x \n\n',
      'work/secrets/b': '\n',
      'work/secrets/c': '',
      'work/secrets/d': 'x\ny',
    });

    const reading = at.read(read);

    expect(['a', 'b', 'c', 'd'].map((key) => valueOf(reading, key))).toEqual([' x \n', '', '', 'x\ny']);
  });

  it('a config tree reads each value of a Kubernetes volume once', () => {
    const at = place({ 'work/secrets/..2025_01_02_03_04_05.678/password': 'new\n' });
    const folder = join(at.workingFolder, 'secrets');
    symlinkSync('..2025_01_02_03_04_05.678', join(folder, '..data'));
    symlinkSync('..data/password', join(folder, 'password'));

    const reading = at.read(read);

    expect(valueOf(reading, 'password')).toBe('new');
    expect(reading.environment.sources.find(({ kind }) => kind === 'file')?.entries).toHaveLength(1);
  });

  it('config trees of a wildcard override each other in the order of their paths', () => {
    const at = place({ 'work/secrets/a/key': 'a', 'work/secrets/b/key': 'b' });

    expect(valueOf(at.read({ args: ['--app.config.import=configtree:secrets/*/'] }), 'key')).toBe('b');
  });

  it.each([
    ['absolute', (folder: string) => `configtree:${folder}/secrets/`],
    ['optional', (folder: string) => `optional:configtree:${folder}/secrets/`],
    ['relative to the working folder', () => 'configtree:secrets/'],
  ])('the location of a config tree may be %s', (_, location) => {
    const at = place({ 'work/secrets/key': 'x' });
    const text = `app.config.import: ${location(at.workingFolder)}\n`;
    mkdirSync(join(at.workingFolder, 'config'));
    writeFileSync(join(at.workingFolder, 'config/application.yml'), text);

    const reading = at.read();

    expect(problemsOf(reading)).toEqual([]);
    expect(valueOf(reading, 'key')).toBe('x');
  });

  it('a config tree overrides the document that imports it', () => {
    const at = place({
      'work/application.yml': 'app.config.import: configtree:secrets/\nkey: declared\n',
      'work/secrets/key': 'x',
    });

    expect(valueOf(at.read(), 'key')).toBe('x');
  });

  it('a config tree with circular links is read to an end', () => {
    const at = place({ 'work/secrets/a/key': 'x' });
    for (const name of ['one', 'two', 'three']) symlinkSync('..', join(at.workingFolder, 'secrets/a', name));

    const reading = at.read(read);

    expect(problemsOf(reading)).toEqual([]);
    expect(valueOf(reading, 'a.key')).toBe('x');
  });

  it('a dangling link in a config tree prevents startup, because an empty secret would be worse', () => {
    const at = place({ 'work/secrets/key': 'x' });
    symlinkSync('gone', join(at.workingFolder, 'secrets/password'));

    expect(problemsOf(at.read(read))).toEqual([
      {
        what: 'file [secrets/password] cannot be read',
        action: 'Check that it is a file and that this user may read it.',
        facts: { Origin: '"app.config.import" from property source "commandLineArgs"', Reason: 'ENOENT' },
      },
    ]);
  });

  it('C4: a pipe in a config tree prevents startup, which does not wait for its writer', () => {
    const at = place({ 'work/secrets/key': 'x' });
    execFileSync('mkfifo', [join(at.workingFolder, 'secrets/password')]);

    expect(problemsOf(at.read(read))).toMatchObject([
      { what: 'file [secrets/password] cannot be read', facts: { Reason: 'it is not a file' } },
    ]);
  });

  it('a config tree may be an empty folder', () => {
    const at = place();
    mkdirSync(join(at.workingFolder, 'secrets'));

    expect(problemsOf(at.read(read))).toEqual([]);
  });

  it('a config tree may contain binary files', () => {
    const at = place({ 'work/secrets/store.p12': Uint8Array.of(0x30, 0x82, 0xff, 0xfe), 'work/secrets/key': 'x' });

    const reading = at.read(read);

    expect(problemsOf(reading)).toEqual([]);
    expect(valueOf(reading, 'key')).toBe('x');
  });

  it('a config tree rejects two files with spellings of one key', () => {
    const at = place({ 'work/secrets/db.pool-name': 'x', 'work/secrets/db/poolName': 'y' });

    const problems = problemsOf(at.read(read));

    expect(problems.map(({ what }) => what)).toEqual(['One document sets the same key twice']);
  });
});
