import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { expect, it } from 'vitest';
import { knownMigrations } from '../../../../src/platform/persistence/migrations/history.js';
import { FORMAT, FORMAT_VERSION } from '../../../../src/platform/persistence/backup/backup-format.js';
import { BACKUP } from '../../../../src/apps/schema/backup-tables.js';
import { BackupWriter } from '../../../../src/platform/persistence/backup/backup-writer.js';
import { SystemRandom, timeOrderedId } from '../../../../src/kernel/random/random.js';
import { request } from '../../../support/events/broker.js';
import type { ServerAccess } from '../../../support/database/database-server.js';
import { type LoginStory, secondStep, storyOn } from '../../../support/login/login-story.js';
import { KeptProcess } from '../../../support/programs/kept-process.js';
import { contentOf } from '../../../support/programs/restored-service.js';
import { onEachEngine, type StoryDatabase } from '../../../support/database/story-database.js';
import { roundsInTier } from '../../../support/runner/tier.js';
import { waitUntil } from '../../../support/runner/wait-until.js';

const CLI = new URL('../../../../dist/cli.js', import.meta.url).pathname;
const ROUNDS = roundsInTier(1, { inFull: 3 });
/** Enough that a restore takes longer than the test needs to notice that it has begun. */
const EVENTS = 150_000;
const BEGUN_BYTES = 2_000_000;
const BEGUN_ROWS = 5_000;
/** InnoDB refreshes its list of transactions only if nothing has read it for 100 ms. */
const POLL_MILLIS = 150;

/** A backup without accounts and with many events. */
async function largeBackup(story: LoginStory): Promise<string> {
  const file = join(story.cwd, 'large');
  const random = new SystemRandom();
  const writer = await BackupWriter.create(file, random);
  const created_at = new Date(story.clock.millis).toISOString();
  await writer.header({ format: FORMAT, version: FORMAT_VERSION, created_at, migrations: knownMigrations() });
  for (const { table, columns } of BACKUP.tables) {
    await writer.table(table, columns);
    for (let event = 0; table === 'security_event' && event < EVENTS; event += 1) {
      const values: Readonly<Record<string, unknown>> = {
        id: timeOrderedId(event, random.bytes(10)),
        at: event,
        kind: 'MFA_OK',
        result: 'ok',
        agent: 'x'.repeat(200),
      };
      await writer.row(
        table,
        columns.map((column) => values[column] ?? null),
      );
    }
  }
  await writer.finish();
  return file;
}

function valueOf({ args }: StoryDatabase, key: string): string {
  const start = `--${key}=`;
  return args.find((argument) => argument.startsWith(start))?.slice(start.length) ?? '';
}

/** True once the restore has changed rows that it has not committed. */
async function hasBegun(database: StoryDatabase): Promise<boolean> {
  const [, file] = /^jdbc:sqlite:(.*)$/.exec(valueOf(database, 'app.datasource.url')) ?? [];
  if (file !== undefined) return existsSync(`${file}-wal`) && statSync(`${file}-wal`).size > BEGUN_BYTES;
  return (await changedRows(database)) > BEGUN_ROWS;
}

onEachEngine('R2: restore that is killed', (engine) => {
  const story = storyOn(engine, { people: ROUNDS + 1 });

  it('leaves the old state, with which the service starts and users sign in', { timeout: 120_000 }, async () => {
    const file = await largeBackup(story);
    for (let round = 0; round < ROUNDS; round += 1) {
      const person = await story.enrolled();
      await story.service.stop();
      const before = await contentOf(story.database);
      const args = [CLI, 'restore', file, '--replace', ...story.args];
      const env = { PATH: process.env['PATH'] ?? '' };
      const restore = await KeptProcess.start(process.execPath, args, { env, cwd: story.cwd });

      await waitUntil('the restore has begun', () => restore.hasEnded || hasBegun(story.database), {
        everyMillis: POLL_MILLIS,
      });
      expect(restore.hasEnded, restore.stdout + restore.stderr).toBe(false);
      restore.signal('SIGKILL');
      await restore.exit;

      expect(restore.stdout).toBe('');
      await waitUntil('the server has rolled back', () => isRolledBack(story.database), {
        everyMillis: POLL_MILLIS,
      });
      expect(await contentOf(story.database)).toBe(before);
      await story.restart();
      const answer = await secondStep(story.client(), await story.mfaToken(person), story.nextCode(person));
      expect(answer).toBeAnswered(200);
    }
  });
});

/** Rows that one open transaction of the account has changed; only an administrator sees them. */
async function changedRows(database: StoryDatabase): Promise<number> {
  const { host, port, user, password } = (await request('mariadb')) as ServerAccess;
  const connection = await createConnection({ host, port, user, password });
  const sql =
    'SELECT COALESCE(MAX(trx_rows_modified), 0) AS number FROM information_schema.innodb_trx ' +
    'JOIN information_schema.processlist ON id = trx_mysql_thread_id WHERE user = ?';
  const [rows] = await connection.query<RowDataPacket[]>(sql, [valueOf(database, 'app.datasource.username')]);
  await connection.end();
  return Number(rows[0]?.['number']);
}

/** True after a server has rolled back the transaction of the killed process; SQLite does so when it is opened. */
async function isRolledBack(database: StoryDatabase): Promise<boolean> {
  if (database.args.some((argument) => argument.includes('jdbc:sqlite:'))) return true;
  return (await changedRows(database)) < BEGUN_ROWS / 5;
}
