import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { backUp } from '../../src/persistence/backup/back-up.js';
import { inspectBackup, loadBackup } from '../../src/persistence/backup/load.js';
import { BACKUP_TABLES, ENDED_TABLES } from '../../src/persistence/backup/backup-tables.js';
import { openDatabase } from '../../src/persistence/database.js';
import { unitOfWork } from '../../src/persistence/persistence.module.js';
import type { UnitOfWork, Value } from '../../src/persistence/unit-of-work.js';
import { SystemRandom } from '../../src/random/random.js';
import { onEveryDatabase } from '../support/engines.js';
import { freshMariadbDatabase } from '../support/fresh-database.js';
import { ManualClock } from '../support/manual-clock.js';
import { needs } from '../support/needs.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const clock = new ManualClock();
const random = new SystemRandom();
const KEPT = { lastUsedStep: 0, keepsBackupCodes: true };
/** Made by the first version that had backups: every later version must restore it. */
const FIRST_BACKUP = new URL('../support/fixtures/backup-1.jsonl', import.meta.url).pathname;

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
        totp_id: `totp-${number}`,
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

let files = 0;
async function backedUp(settings: Parameters<typeof backUp>[0]): Promise<string> {
  const file = join(temporaryFolder('backup'), `backup-${(files += 1)}`);
  await backUp(settings, file, clock, random);
  return file;
}

function sqlite(): { readonly url: string } {
  return { url: `jdbc:sqlite:${join(temporaryFolder('backup'), 'login.db')}` };
}

onEveryDatabase('a kept backup', (database) => {
  it('the first backup format stays restorable', async () => {
    await database.work.run((tx) => loadBackup(tx, FIRST_BACKUP, KEPT));

    const rows = await database.work.single((tx) =>
      tx.rows("SELECT login_id, status, security_stamp, backup_set_id FROM account WHERE login_id = 'anna'"),
    );
    expect(rows).toEqual([{ login_id: 'anna', status: 'active', security_stamp: 3, backup_set_id: 'set-1' }]);
    const codes = await database.work.single((tx) => tx.rows('SELECT pepper FROM backup_code ORDER BY hash'));
    expect(codes).toEqual([{ pepper: null }, { pepper: 'k2' }]);
  });
});

describe('a backup', () => {
  it('names every table and column of the schema, so that a migration cannot be forgotten', async () => {
    const dataSource = await openDatabase(sqlite());
    const tables = await dataSource.createQueryRunner().getTables();
    await dataSource.destroy();
    const columns = new Map(
      tables
        .map(({ name, columns: all }) => [name.split('.').at(-1), all.map((column) => column.name).sort()] as const)
        .filter(([name]) => name !== 'migrations' && !name?.startsWith('sqlite_')),
    );

    expect([...BACKUP_TABLES, ...ENDED_TABLES].map(({ table }) => table).sort()).toEqual([...columns.keys()].sort());
    for (const { table, columns: named } of BACKUP_TABLES) {
      expect([table, [...named].sort()]).toEqual([table, columns.get(table)]);
    }
    for (const { table, key } of [...BACKUP_TABLES, ...ENDED_TABLES]) {
      const primary = tables.find(({ name }) => name.split('.').at(-1) === table)?.primaryColumns;
      expect([table, [...key].sort()]).toEqual([table, primary?.map(({ name }) => name).sort()]);
    }
  });

  it('contains no half-finished step, no session and no key', async () => {
    const settings = sqlite();
    const dataSource = await openDatabase(settings);
    await fill(unitOfWork(dataSource));
    await dataSource.destroy();
    const tables = new Map<string, number>();

    await inspectBackup(await backedUp(settings), (table) => void tables.set(table, (tables.get(table) ?? 0) + 1));

    expect(Object.fromEntries(tables)).toEqual({
      account: 620,
      totp_secret: 620,
      backup_code: 1860,
      staff_identity: 1,
      security_event: 620,
    });
  });

  it('of a database that does not exist is rejected, and creates none', async () => {
    await expect(backedUp(sqlite())).rejects.toThrow('does not exist');
  });
});

needs('mariadb')('a backup of one engine', () => {
  it('is restored on the other engine and back without a difference', async () => {
    const [first, second, third] = [sqlite(), await freshMariadbDatabase(), sqlite()];
    const source = await openDatabase(first);
    await fill(unitOfWork(source));
    await source.destroy();

    const ofSqlite = await backedUp(first);
    await restored(second, ofSqlite);
    const ofMariadb = await backedUp(second);
    await restored(third, ofMariadb);
    const again = await backedUp(third);

    expect(bodyOf(ofMariadb)).toBe(bodyOf(ofSqlite));
    expect(bodyOf(again)).toBe(bodyOf(ofSqlite));
  });

  async function restored(settings: Parameters<typeof openDatabase>[0], file: string): Promise<void> {
    const dataSource = await openDatabase(settings);
    try {
      await unitOfWork(dataSource).run((tx) => loadBackup(tx, file, KEPT));
    } finally {
      await dataSource.destroy();
    }
  }
});
