import { afterEach, expect, it } from 'vitest';
import { PROD } from '../../../support/programs/prod.js';
import {
  type Ended,
  type RunningService,
  runCli,
  runService,
  startService,
} from '../../../support/programs/service.js';
import { onEachEngine, onSqlite, type StoryDatabase } from '../../../support/database/story-database.js';
import { temporaryFolder } from '../../../support/programs/temporary-folder.js';

let running: RunningService | undefined;

afterEach(async () => {
  await running?.release();
  running = undefined;
});

const COUNT = 'SELECT COUNT(*) AS number FROM account';

onEachEngine('app.jpa.orm.ddl-auto', (engine) => {
  /** A database with the user anna, and with the table of another application. */
  async function usedDatabase(): Promise<{ readonly database: StoryDatabase; readonly cwd: string }> {
    const database = await engine.freshDatabase();
    const cwd = temporaryFolder('ddl');
    const { exitCode, stderr } = await runCli(['users', 'add', 'anna', ...database.args], { cwd });
    expect(exitCode, stderr).toBe(0);
    await database.query('CREATE TABLE other_application (id int)');
    await database.query('INSERT INTO other_application VALUES (7)');
    return { database, cwd };
  }

  function argumentsOf(database: StoryDatabase, mode: string): readonly string[] {
    return [...database.args, `--app.jpa.orm.ddl-auto=${mode}`];
  }

  async function start(database: StoryDatabase, mode: string, cwd: string): Promise<RunningService> {
    return (running = await startService({ args: argumentsOf(database, mode), cwd }));
  }

  function fails(database: StoryDatabase, mode: string, cwd: string): Promise<Ended> {
    return runService({ args: argumentsOf(database, mode), cwd });
  }

  async function damage(database: StoryDatabase): Promise<void> {
    await database.query('DROP TABLE trusted_device');
    await database.query('ALTER TABLE account DROP COLUMN language');
  }

  it('none starts on any tables, and validate reports all differences at once and changes nothing', async () => {
    const { database, cwd } = await usedDatabase();
    await (await start(database, 'validate', cwd)).stop();
    await damage(database);

    const refused = await fails(database, 'validate', cwd);
    await start(database, 'none', cwd);

    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain('The tables do not fit this version of the service');
    expect(refused.stderr).toMatch(/Missing table: +trusted_device\n/);
    expect(refused.stderr).toMatch(/Missing column: +account\.language varchar\(8\) NULL\n/);
    expect(refused.stderr).toMatch(/Property: +app\.jpa\.orm\.ddl-auto\n/);
    expect(refused.stderr).toContain('app.jpa.orm.ddl-auto=update adds what is missing');
    expect(refused.stderr).not.toMatch(/^\s+at /m);
    await expect(async () => database.query('SELECT language FROM account')).rejects.toThrow();
  });

  it('update adds what is missing, logs each statement, and drops nothing', async () => {
    const { database, cwd } = await usedDatabase();
    await damage(database);
    await database.query('ALTER TABLE account ADD COLUMN hobby varchar(40) NULL');

    const service = await start(database, 'update', cwd);

    const added = service.log.filter((line) => line.startsWith('INFO Added to the tables'));
    expect(added).toHaveLength(4);
    expect(added[0]).toBe('INFO Added to the tables sql="ALTER TABLE account ADD COLUMN language varchar(8) NULL"');
    expect(added[1]).toContain('CREATE TABLE trusted_device (');
    expect(await database.query('SELECT login_id, language, hobby FROM account')).toEqual([
      { login_id: 'anna', language: null, hobby: null },
    ]);
    expect(await database.query('SELECT id FROM other_application')).toEqual([{ id: 7 }]);
  });

  it('D7: update adds a column of an index again, and repeats without a difference', { timeout: 180_000 }, async () => {
    const { database, cwd } = await usedDatabase();
    // SQLite drops no column of an index; a server keeps the index with its other columns.
    if (engine.name === 'SQLite') await database.query('DROP INDEX account_search');
    await database.query('ALTER TABLE account DROP COLUMN email');

    const service = await start(database, 'update', cwd);
    const added = service.log.filter((line) => line.startsWith('INFO Added to the tables'));
    await service.stop();
    await (await start(database, 'update', cwd)).stop();
    const again = await start(database, 'validate', cwd);

    expect(added).toHaveLength(2);
    expect(added[1]).toMatch(/CREATE INDEX account_search\w* ON account \(login_id, email, status\)/);
    expect(again.log.join('\n')).not.toContain('Added to the tables');
  });

  it('update fails with a report if something remains that it cannot add', async () => {
    const { database, cwd } = await usedDatabase();
    await database.query('ALTER TABLE account DROP COLUMN failures');

    const { exitCode, stderr } = await fails(database, 'update', cwd);

    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/Missing column: +account\.failures int NOT NULL\n/);
  });

  it('create replaces the tables of the service only, and commands never do', async () => {
    const { database, cwd } = await usedDatabase();
    const listed = await runCli(['users', 'list', ...argumentsOf(database, 'create')], { cwd });

    await start(database, 'create', cwd);

    expect(listed.stdout).toContain('anna');
    expect(await database.query("SELECT login_id FROM account WHERE login_id = 'anna'")).toEqual([]);
    expect(await database.query('SELECT id FROM other_application')).toEqual([{ id: 7 }]);
    expect(running?.log).toContain('WARN Dropped the tables of the service mode=create');
  });

  it('create-drop also drops the tables at an orderly shutdown', async () => {
    const { database, cwd } = await usedDatabase();
    const service = await start(database, 'create-drop', cwd);

    expect(await service.stop()).toBe(0);

    await expect(async () => database.query(COUNT)).rejects.toThrow(/account/);
    expect(await database.query('SELECT id FROM other_application')).toEqual([{ id: 7 }]);
    expect(await database.query('SELECT name FROM migrations')).toEqual([]);
    await start(database, 'none', cwd);
  });

  it('create does not drop tables of a newer version', async () => {
    const { database, cwd } = await usedDatabase();
    await database.query(
      "INSERT INTO migrations (timestamp, name, compatible_from) VALUES (1899999999999, 'Later1899999999999', 1)",
    );

    const { exitCode, stderr } = await fails(database, 'create', cwd);

    expect(exitCode).toBe(1);
    expect(stderr).toContain('Tables of a newer version are not dropped');
    expect(await database.query(COUNT)).toEqual([{ number: 1 }]);
  });
});

onSqlite('app.jpa.orm.ddl-auto with profile prod', (engine) => {
  it.each(['create', 'create-drop', 'update'])('%s prevents startup and changes nothing', async (mode) => {
    const database = await engine.freshDatabase();
    await runCli(['migrate', 'up', '--create', ...database.args]);
    await database.query("INSERT INTO used_mfa_token (jti, expires_at) VALUES ('kept', 1)");

    const { exitCode, stderr } = await runService({
      isAlone: true,
      env: PROD,
      args: [...database.args, '--management.server.port=0', `--app.jpa.orm.ddl-auto=${mode}`],
    });

    expect(exitCode).toBe(1);
    expect(stderr).toContain('Configuration rule 5 is broken: In production, only migrations change tables');
    expect(stderr).toContain('Set app.jpa.orm.ddl-auto to none.');
    expect(await database.query('SELECT jti FROM used_mfa_token')).toEqual([{ jti: 'kept' }]);
  });
});
