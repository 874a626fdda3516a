import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createConnection } from 'mysql2/promise';
import type { DataSource } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { Clock } from '../../../../src/kernel/clock/clock.js';
import { backUp } from '../../../../src/platform/persistence/backup/back-up.js';
import { inspectBackup, loadBackup } from '../../../../src/platform/persistence/backup/load.js';
import { BACKUP } from '../../../../src/apps/schema/backup-tables.js';
import { DatabaseConnection } from '../../../../src/platform/persistence/backup/database-connection.js';
import { checkTarget } from '../../../../src/platform/persistence/backup/restore-target.js';
import { openDatabase, unitOfWork } from '../../../../src/platform/persistence/database.js';
import { MigrationState } from '../../../../src/platform/persistence/migrations/migration-state.js';
import { revertLast } from '../../../../src/platform/persistence/migrations/migrations.js';
import { expectedSchema, tableOf } from '../../../../src/platform/persistence/schema/expected-schema.js';
import type { UnitOfWork, Value } from '../../../../src/platform/persistence/unit-of-work.js';
import { SystemRandom } from '../../../../src/kernel/random/random.js';
import { request } from '../../../support/events/broker.js';
import { onEveryDatabase } from '../../../support/database/engines.js';
import { freshMariadbDatabase } from '../../../support/database/fresh-database.js';
import { KeptProcess } from '../../../support/programs/kept-process.js';
import { ManualClock } from '../../../support/programs/manual-clock.js';
import { needs } from '../../../support/runner/needs.js';
import { temporaryFolder } from '../../../support/programs/temporary-folder.js';

type TestSettings = Parameters<typeof openDatabase>[0];

const CLI = new URL('../../../../dist/cli.js', import.meta.url).pathname;
const clock = new ManualClock();
const random = new SystemRandom();
const KEPT = { lastUsedStep: 0, keepsBackupCodes: true };
/** Made by the first version that had backups: every later version must restore it. */
const FIRST_BACKUP = new URL('../../../support/fixtures/backup-1.jsonl', import.meta.url).pathname;

/** Rows with every kind of value, more than one page and one batch of them. */
async function fill(work: UnitOfWork): Promise<void> {
  await work.run(async (tx) => {
    for (let number = 0; number < 620; number += 1) {
      const id = `user-${number}`;
      const account: Readonly<Record<string, Value>> = {
        id,
        login_id: `Ünï-${number}@example.org 😀 "\\`,
        kind: 'local',
        status: number % 7 ? 'active' : 'disabled',
        password_hash: number % 3 ? '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA' : null,
        roles: 'ROLE_A,ROLE_B',
        mfa_required: 1,
        enrolment_forced: 0,
        security_stamp: number,
        totp_count: 1,
        passkey_count: 0,
        backup_set_id: `set-${number}`,
        last_used_step: 2 ** 40 + number,
        failures: 1,
        failures_in_row: 0,
        lock_level: 0,
        last_attempt_at: 0,
        created_at: 1_800_000_000,
        updated_at: 0,
      };
      await insert('account', account);
      const secret = { id: `totp-${number}`, user_id: id, sealed: 'k1.AAAA', seal_key: 'k1', created_at: 1 };
      await insert('totp_secret', { ...secret, activated_at: 2, svg_taken: 1, png_taken: 0 });
      for (const hash of ['a', 'b', 'c']) {
        await insert('backup_code', { user_id: id, set_id: `set-${number}`, hash, pepper: number % 2 ? 'k2' : null });
      }
      const event = {
        id: `event-${String(number).padStart(4, '0')}`,
        at: 1_800_000_000_123,
        kind: 'MFA_OK',
        user_id: id,
      };
      await insert('security_event', { ...event, result: 'ok', detail: '{"a":"\u2028\\n"}' });
    }
    const staff = {
      id: 'staff',
      user_id: 'user-1',
      issuer: 'https://idp.test',
      person: 'ada',
      logins: 3,
      created_at: 1,
    };
    await insert('staff_identity', staff);
    // None of these lives on.
    await insert('totp_secret', { ...staffless('pending'), expires_at: 9, svg_taken: 0, png_taken: 0 });
    await insert('backup_code', { user_id: 'user-1', set_id: 'pending', hash: 'd', pepper: null });
    await insert('used_mfa_token', { jti: 'used', expires_at: 9 });

    async function insert(table: string, row: Readonly<Record<string, Value>>): Promise<void> {
      const marks = Object.keys(row).map(() => '?');
      await tx.insert(
        `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${marks.join(', ')})`,
        Object.values(row),
      );
    }
  });
}

function staffless(id: string): Readonly<Record<string, Value>> {
  return { id, user_id: 'user-1', sealed: 'k1.AAAA', seal_key: 'k1', created_at: 1 };
}

/** The lines after the header. */
function bodyOf(file: string): string {
  return readFileSync(file, 'utf8').split('\n').slice(1, -2).join('\n');
}

/** Runs a change on the migrated database. */
async function changed<T>(settings: TestSettings, change: (dataSource: DataSource) => Promise<T>): Promise<T> {
  const dataSource = await openDatabase(settings);
  try {
    return await change(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

let files = 0;
async function backedUp(settings: TestSettings, folder = temporaryFolder('backup')): Promise<string> {
  const file = join(folder, `backup-${(files += 1)}`);
  await backUp(settings, file, BACKUP, clock, random);
  return file;
}

function fileOf({ url }: TestSettings): string {
  return url.replace('jdbc:sqlite:', '');
}

function sqlite(): { readonly url: string } {
  return { url: `jdbc:sqlite:${join(temporaryFolder('backup'), 'login.db')}` };
}

onEveryDatabase('a kept backup', (database) => {
  it('the first backup format stays restorable', async () => {
    await database.work.run((tx) => loadBackup(tx, FIRST_BACKUP, BACKUP, KEPT));

    const rows = await database.work.single((tx) =>
      tx.rows("SELECT login_id, status, security_stamp, backup_set_id FROM account WHERE login_id = 'anna'"),
    );
    expect(rows).toEqual([{ login_id: 'anna', status: 'active', security_stamp: 3, backup_set_id: 'set-1' }]);
    const codes = await database.work.single((tx) => tx.rows('SELECT pepper FROM backup_code ORDER BY hash'));
    expect(codes).toEqual([{ pepper: null }, { pepper: 'k2' }]);
  });
});

describe('a backup', () => {
  it('names every table of the schema, so that none can be forgotten', () => {
    const named = [...BACKUP.tables.map(({ entity }) => entity), ...BACKUP.ended, ...BACKUP.untouched];

    expect(named.map((entity) => tableOf(entity).name).sort()).toEqual([...expectedSchema().keys()].sort());
  });

  it('contains no half-finished step, no session and no key', async () => {
    const settings = sqlite();
    await changed(settings, (dataSource) => fill(unitOfWork(dataSource)));
    const tables = new Map<string, number>();

    await inspectBackup(
      await backedUp(settings),
      BACKUP,
      (table) => void tables.set(table, (tables.get(table) ?? 0) + 1),
    );

    expect(Object.fromEntries(tables)).toEqual({
      account: 620,
      totp_secret: 620,
      backup_code: 1860,
      staff_identity: 1,
      security_event: 620,
    });
  });

  it('a backup of a database that does not exist is rejected, and creates none', async () => {
    const settings = sqlite();

    await expect(backedUp(settings)).rejects.toThrow('does not exist');

    expect(existsSync(fileOf(settings))).toBe(false);
  });

  it('contains every change that was stored before its time', async () => {
    const settings = sqlite();
    await (await openDatabase(settings)).destroy();
    const busy = new (class extends Clock {
      millis(): number {
        const other = new DatabaseSync(fileOf(settings));
        other.exec("INSERT INTO security_event (id, at, kind, result) VALUES ('late', 1, 'MFA_OK', 'ok')");
        other.close();
        return 2;
      }
    })();

    const rows = await backUp(settings, join(temporaryFolder('backup'), 'busy'), BACKUP, busy, random);

    expect(rows['security_event']).toBe(1);
  });

  it('needs the tables of its version, neither older nor newer ones, and leaves no file otherwise', async () => {
    const folder = temporaryFolder('backup');
    const newer = sqlite();
    await changed(newer, (dataSource) => dataSource.query(LATER_MIGRATION));
    await expect(backedUp(newer, folder)).rejects.toThrow(
      'newer than this version of the service: it does not know "Later',
    );
    const older = sqlite();
    await changed(older, (dataSource) => revertLast(dataSource, true));
    await expect(backedUp(older, folder)).rejects.toThrow('older than this version of the service');

    expect(readdirSync(folder)).toEqual([]);
  });

  it('leaves no file if the disk is full', { timeout: 60_000 }, async () => {
    await request('build');
    const settings = sqlite();
    await changed(settings, (dataSource) => fill(unitOfWork(dataSource)));
    const folder = temporaryFolder('backup');
    const args = [CLI, 'backup', join(folder, 'full'), `--app.datasource.url=${settings.url}`];
    // A write beyond the limit for files fails as one on a full disk does.
    const limited = ['-c', 'ulimit -f 128; exec "$0" "$@"', process.execPath, ...args];
    const env = { PATH: process.env['PATH'] ?? '' };

    const backup = await KeptProcess.start('/bin/sh', limited, { env, cwd: folder });

    expect((await backup.exit).code).toBe(1);
    expect(backup.stderr).toContain('full cannot be written (EFBIG).');
    expect(readdirSync(folder).filter((name) => name.includes('full'))).toEqual([]);
  });
});

/** Recorded by a newer version that lets this one run on its tables. */
const LATER_MIGRATION =
  "INSERT INTO migrations (timestamp, name, compatible_from) VALUES (1999999999999, 'Later1999999999999', 1)";

describe('the database of a restore', () => {
  it('must not be newer than this version, even if this version may run on its tables', async () => {
    const settings = sqlite();
    await changed(settings, (dataSource) => dataSource.query(LATER_MIGRATION));

    await expect(checkTarget(settings, BACKUP, { replace: true })).rejects.toThrow(
      'newer than this version of the service',
    );
  });

  it('may have the tables of the first version, with accounts only if they are replaced', async () => {
    const [empty, filled] = [sqlite(), sqlite()];
    await changed(empty, revertToFirst);
    await changed(filled, async (dataSource) => {
      await fill(unitOfWork(dataSource));
      await revertToFirst(dataSource);
    });

    await checkTarget(empty, BACKUP, { replace: false });
    await expect(checkTarget(filled, BACKUP, { replace: false })).rejects.toThrow('The database has accounts');
    await checkTarget(filled, BACKUP, { replace: true });
  });

  it('must be a database', async () => {
    const settings = sqlite();
    writeFileSync(fileOf(settings), 'another text '.repeat(100));

    await expect(checkTarget(settings, BACKUP, { replace: true })).rejects.toThrow('the file is not a database');
  });
});

async function revertToFirst(dataSource: DataSource): Promise<void> {
  while ((await MigrationState.read(dataSource)).applied.length > 1) await revertLast(dataSource, true);
}

needs('mariadb')('the database of a restore, on a server', () => {
  it('may have sessions that are ending, such as those of a service that was stopped a moment ago', async () => {
    const { url, username, password, server } = await freshMariadbDatabase();
    const { host, port } = server;
    const database = url.slice(url.lastIndexOf('/') + 1);
    const stopped = await createConnection({ host, port, user: username, password, database });
    // The client goes away, and the server ends the session only after its statement.
    const statement = stopped.query('DO SLEEP(0.7)').catch(() => undefined);
    stopped.destroy();

    await expect(checkTarget({ url, username, password }, BACKUP, { replace: false })).resolves.toBeUndefined();
    await statement;
  });
});

describe('a snapshot', () => {
  it('shows one state of the embedded database while others write, and delays none of them', async () => {
    expect(await eventsSeen(sqlite())).toEqual([{ number: 0 }, { number: 0 }, { number: 1 }]);
  });
});

needs('mariadb')('a snapshot of a server', () => {
  it('shows one state while others write, and delays none of them', async () => {
    expect(await eventsSeen(await freshMariadbDatabase())).toEqual([{ number: 0 }, { number: 0 }, { number: 1 }]);
  });

  it('is given up if a migration changes a table that it has not read', async () => {
    const settings = await freshMariadbDatabase();
    const reading = changed(settings, (dataSource) =>
      DatabaseConnection.during(settings, (connection) =>
        connection.snapshot(async () => {
          await dataSource.query('ALTER TABLE account FORCE');
          return connection.read('SELECT id FROM account');
        }),
      ),
    );

    await expect(reading).rejects.toThrow('A migration has changed the tables during the backup');
  });
});

/** The numbers of events before a change of another connection, and after it: in the snapshot, and outside. */
async function eventsSeen(settings: TestSettings): Promise<unknown> {
  const count = 'SELECT COUNT(*) AS number FROM security_event';
  const event = "INSERT INTO security_event (id, at, kind, result) VALUES ('late', 1, 'MFA_OK', 'ok')";
  return changed(settings, async (dataSource) => {
    const work = unitOfWork(dataSource);
    return DatabaseConnection.during(settings, (connection) =>
      connection.snapshot(async () => {
        const before = await connection.read(count);
        await work.run((tx) => tx.insert(event));
        return [before, await connection.read(count), await work.single((tx) => tx.rows(count))].flat();
      }),
    );
  });
}

needs('mariadb')('a backup of one engine', () => {
  it('is restored on the other engine and back without a difference', async () => {
    const [first, second, third] = [sqlite(), await freshMariadbDatabase(), sqlite()];
    await changed(first, (dataSource) => fill(unitOfWork(dataSource)));

    const ofSqlite = await backedUp(first);
    await restored(second, ofSqlite);
    const ofMariadb = await backedUp(second);
    await restored(third, ofMariadb);
    const again = await backedUp(third);

    expect(bodyOf(ofMariadb)).toBe(bodyOf(ofSqlite));
    expect(bodyOf(again)).toBe(bodyOf(ofSqlite));
  });

  async function restored(settings: TestSettings, file: string): Promise<void> {
    await changed(settings, (dataSource) => unitOfWork(dataSource).run((tx) => loadBackup(tx, file, BACKUP, KEPT)));
  }
});
