import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/platform/persistence/database.js';
import { NodeSqlite } from '../../../src/platform/persistence/engines/node-sqlite.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';

/** The log has a header, and a page of 4096 bytes with a header for each changed page (https://www.sqlite.org/fileformat.html#walformat). */
const LOG_HEADER_BYTES = 32;
const FRAME_BYTES = 24 + 4096;

describe('the SQLite database', () => {
  it('a reopened database keeps its rows', async () => {
    const file = join(temporaryFolder(), 'login.db');
    const before = await openDatabase({ url: `jdbc:sqlite:${file}` });
    await before.query('CREATE TABLE t (a integer)');
    await before.query('INSERT INTO t VALUES (?)', [42]);
    await before.destroy();

    const after = await openDatabase({ url: `jdbc:sqlite:${file}` });
    expect(await after.query('SELECT a FROM t')).toEqual([{ a: 42 }]);
    await after.destroy();
  });

  it('only the owner can read the database, its WAL file and new folders', async () => {
    const folder = join(temporaryFolder(), 'new/data');
    const dataSource = await openDatabase({ url: `jdbc:sqlite:${join(folder, 'login.db')}` });
    await dataSource.query('CREATE TABLE t (a integer)');

    expect(mode(folder)).toBe('700');
    expect(mode(join(folder, '..'))).toBe('700');
    expect(mode(join(folder, 'login.db'))).toBe('600');
    expect(mode(join(folder, 'login.db-wal'))).toBe('600');
    await dataSource.destroy();
  });

  it('the mode of an existing folder is not changed', async () => {
    const folder = join(temporaryFolder(), 'data');
    mkdirSync(folder);
    chmodSync(folder, 0o750);
    await (await openDatabase({ url: `jdbc:sqlite:${join(folder, 'login.db')}` })).destroy();

    expect(mode(folder)).toBe('750');
  });

  it('the database uses WAL, full synchronization and foreign keys', async () => {
    const dataSource = await openDatabase({ url: `jdbc:sqlite:${join(temporaryFolder(), 'login.db')}` });

    expect(await dataSource.query('PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }]);
    expect(await dataSource.query('PRAGMA synchronous')).toEqual([{ synchronous: 2 }]);
    expect(await dataSource.query('PRAGMA foreign_keys')).toEqual([{ foreign_keys: 1 }]);
    expect(await dataSource.query('PRAGMA busy_timeout')).toEqual([{ timeout: 20 }]);
    await dataSource.destroy();
  });

  it('commits of several megabytes wait for no copy of the log into the database file', () => {
    const file = join(temporaryFolder(), 'login.db');
    const database = new NodeSqlite(file);
    database.prepare('CREATE TABLE t (a text)').run();
    const size = statSync(file).size;
    for (let row = 0; row < 1000; row += 1) database.prepared('INSERT INTO t VALUES (?)').run('x'.repeat(1500));

    expect(statSync(file).size).toBe(size);
    database.close();
  });

  it('an accepted step changes one page of the account table and no index', async () => {
    const file = join(temporaryFolder(), 'login.db');
    const dataSource = await openDatabase({ url: `jdbc:sqlite:${file}` });
    const insert =
      'INSERT INTO account (id, login_id, kind, status, roles, mfa_required, enrolment_forced, security_stamp, ' +
      'last_used_step, failures, failures_in_row, lock_level, last_attempt_at, created_at, updated_at) ' +
      "VALUES (?, ?, 'local', 'active', '', 0, 0, 1, 0, 1, 1, 0, 0, 1, 1)";
    for (const id of ['one', 'two', 'three']) await dataSource.query(insert, [id, id]);
    await dataSource.query('PRAGMA wal_checkpoint(TRUNCATE)');
    await dataSource.query("UPDATE account SET failures = 0, failures_in_row = 0, lock_level = 0 WHERE id = 'two'");

    expect(statSync(`${file}-wal`).size).toBe(LOG_HEADER_BYTES + FRAME_BYTES);
    await dataSource.destroy();
  });

  it('the database can be in memory', async () => {
    const dataSource = await openDatabase({ url: 'jdbc:sqlite::memory:' });

    expect(await dataSource.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await dataSource.destroy();
  });
});

describe('the adapter for node:sqlite', () => {
  it('returns the rows of an INSERT with RETURNING', () => {
    const database = new NodeSqlite(':memory:');
    database.prepare('CREATE TABLE t (a integer PRIMARY KEY, b text)').run();
    const insert = database.prepare('INSERT INTO t (b) VALUES (?) RETURNING a, b');

    expect(insert.reader).toBe(true);
    expect(insert.all('x')).toEqual([{ a: 1, b: 'x' }]);
    database.close();
  });

  it('returns the number of changed rows and the key of the last one', () => {
    const database = new NodeSqlite(':memory:');
    database.prepare('CREATE TABLE t (a integer PRIMARY KEY, b text)').run();
    const insert = database.prepare('INSERT INTO t (b) VALUES (?), (?)');

    expect(insert.reader).toBe(false);
    expect(insert.run('x', 'y')).toEqual({ changes: 2, lastInsertRowid: 2 });
    database.close();
  });

  it.each([[{ name: 'object' }], [['list']], [Symbol('symbol')]])('rejects the parameter %o', (parameter) => {
    const database = new NodeSqlite(':memory:');

    expect(() => database.prepare('SELECT ?').all(parameter)).toThrow(TypeError);
    database.close();
  });

  it('fileMustExist does not create a missing file', () => {
    const file = join(temporaryFolder(), 'nothing.db');

    expect(() => new NodeSqlite(file, { fileMustExist: true })).toThrow('unable to open database file');
    expect(() => statSync(file)).toThrow('ENOENT');
  });

  it('a read-only database rejects writes', () => {
    const file = join(temporaryFolder(), 'login.db');
    const writable = new NodeSqlite(file);
    writable.prepare('CREATE TABLE t (a integer)').run();
    writable.close();
    const database = new NodeSqlite(file, { readonly: true });

    expect(database.prepare('SELECT * FROM t').all()).toEqual([]);
    expect(() => database.prepare('INSERT INTO t VALUES (1)').run()).toThrow('readonly');
    database.close();
  });
});

function mode(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}
