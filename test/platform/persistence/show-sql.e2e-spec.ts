import { afterEach, expect, it } from 'vitest';
import { type RunningService, runCli, runService, startService } from '../../support/programs/service.js';
import { onEachEngine, onSqlite } from '../../support/database/story-database.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';
import { waitUntil } from '../../support/runner/wait-until.js';

let running: RunningService | undefined;

afterEach(async () => {
  await running?.release();
  running = undefined;
});

const FORMAT = '--app.jpa.properties.orm.format_sql';
const LOGIN_ID = 'nobody-of-this-name';

async function signIn({ url }: RunningService): Promise<void> {
  const body = JSON.stringify({ id: LOGIN_ID, pw: 'kettle-orbit-seven' });
  await fetch(`${url}/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
}

/** Waits for standard output, which may arrive after the response. */
async function printed(service: RunningService, pattern: RegExp): Promise<void> {
  await waitUntil(`standard output matches ${String(pattern)}`, () => pattern.test(service.stdout));
}

onEachEngine('app.jpa.show-sql', (engine) => {
  it('prints each statement on one line past the log, without values', async () => {
    const { args } = await engine.freshDatabase();
    running = await startService({ args: [...args, '--app.jpa.show-sql=true'] });
    await signIn(running);

    await printed(running, /^SQL: SELECT .*\bFROM account WHERE .*\?/m);
    expect(running.log.filter((line) => line.includes('FROM account'))).toEqual([]);
    expect(running.stdout).not.toContain(LOGIN_ID);
  });

  it('prints each statement over several lines with format_sql', async () => {
    const { args } = await engine.freshDatabase();
    running = await startService({ args: [...args, '--app.jpa.show-sql=true', `${FORMAT}=true`] });
    await signIn(running);
    const pattern = /^SQL:\nSELECT\n {2}.*,\n(?: {2}.*\n)*FROM\n {2}account\nWHERE\n {2}/m;
    await printed(running, pattern);

    expect(running.stdout).toMatch(pattern);
  });
});

onSqlite('how statements are shown', (engine) => {
  it('nothing is printed by default', async () => {
    const { args } = await engine.freshDatabase();
    running = await startService({ args });
    await signIn(running);

    expect(running.stdout).not.toContain('SELECT');
  });

  it('with format_sql, the logger orm.sql writes each line of a statement as a message', async () => {
    const { args } = await engine.freshDatabase();
    running = await startService({ args: [...args, '--logging.level.orm.sql=DEBUG', `${FORMAT}=true`] });
    await signIn(running);

    await printed(running, / DEBUG .*: FROM\n.* DEBUG .*: {3}account\n.* DEBUG .*: WHERE\n/);
    expect(running.log.join('\n')).toContain('DEBUG FROM\nDEBUG   account\nDEBUG WHERE\n');
    expect(running.stdout).not.toMatch(/^SQL:/m);
  });

  it('a command prints its own output only', async () => {
    const { args } = await engine.freshDatabase();

    const { stdout, exitCode } = await runCli(['users', 'add', 'anna', ...args, '--app.jpa.show-sql=true']);

    expect({ exitCode, hasStatements: stdout.includes('SQL:') }).toEqual({ exitCode: 0, hasStatements: false });
  });
});

onSqlite('app.jpa.properties.orm.dialect', (engine) => {
  it('a dialect of another database prevents startup', async () => {
    const { args } = await engine.freshDatabase();

    const { exitCode, stderr } = await runService({
      args: [...args, '--app.jpa.properties.orm.dialect=org.orm.dialect.MariaDBDialect'],
    });

    expect(exitCode).toBe(1);
    expect(stderr).toContain('The SQL dialect does not fit the database named by app.datasource.url');
    expect(stderr).toMatch(/Value: +"org\.orm\.dialect\.MariaDBDialect"\n/);
    expect(stderr).toContain('Remove app.jpa.properties.orm.dialect');
  });

  it('the dialect of the database is accepted', async () => {
    const { args } = await engine.freshDatabase();
    running = await startService({
      args: [...args, '--app.jpa.properties.orm.dialect=org.orm.community.dialect.SQLiteDialect'],
    });

    expect((await fetch(`${running.url}/`)).status).toBe(200);
  });
});

onSqlite('app.jpa.open-in-view', () => {
  it('true causes a warning at startup that it cannot be offered', async () => {
    running = await startService({ cwd: temporaryFolder('view'), args: ['--app.jpa.open-in-view=true'] });

    expect(running.troubles).toContainEqual(
      expect.stringMatching(/^WARN app\.jpa\.open-in-view: set, but .* cannot be offered\.$/),
    );
  });
});
