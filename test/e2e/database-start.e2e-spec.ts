import { createConnection } from 'mysql2/promise';
import { expect, it } from 'vitest';
import { freshMariadbDatabase } from '../support/fresh-database.js';
import { needs } from '../support/needs.js';
import { runService, startService } from '../support/service.js';
import { onEachEngine } from '../support/story-database.js';
import { waitUntil } from '../support/wait-until.js';

onEachEngine('the query that checks connections', (engine) => {
  it('D5: a query that the database rejects prevents startup, and the report names it', async () => {
    const { args } = await engine.freshDatabase();
    const query = '--app.datasource.pool.connection-test-query=SELECT nothing FROM nowhere';

    const { exitCode, stderr } = await runService({ args: [...args, query] });

    expect(exitCode).toBe(1);
    expect(stderr).toContain('The database rejects the query that checks connections');
    expect(stderr).toMatch(/Property: +app\.datasource\.pool\.connection-test-query\n/);
    expect(stderr).toMatch(/Value: +"SELECT nothing FROM nowhere"\n/);
    expect(stderr).toMatch(/Origin: +.*commandLineArgs/);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('D5: a query that reads a table of the service is tried when the table exists', async () => {
    const { args } = await engine.freshDatabase();
    const query = '--app.datasource.pool.connection-test-query=SELECT 1 FROM migrations LIMIT 1';

    const service = await startService({ args: [...args, query] });
    const { status } = await fetch(`${service.url}/actuator/health/readiness`);
    await service.release();

    expect(status).toBe(200);
  });
});

needs('mariadb')('a startup while another process changes the tables', () => {
  it('D5: logs that it waits, and continues', async () => {
    const { url, username, password, server } = await freshMariadbDatabase();
    const { host, port } = server;
    const other = await createConnection({ host, port, user: username, password, database: username });
    await other.query("SELECT GET_LOCK(CONCAT('login-service migration ', DATABASE()), 0)");

    const starting = startService({
      args: [
        `--app.datasource.url=${url}`,
        `--app.datasource.username=${username}`,
        `--app.datasource.password=${password}`,
        '--app.datasource.pool.connection-timeout=20000',
      ],
    });
    await waitUntil('the startup waits for the lock', async () => {
      const [rows] = await other.query("SELECT ID FROM information_schema.PROCESSLIST WHERE STATE = 'User lock'");
      return (rows as readonly unknown[]).length > 0;
    });
    await other.query('SELECT RELEASE_ALL_LOCKS()');
    const service = await starting;
    await other.end();

    expect(service.log).toContain('INFO Another process changes the tables: startup waits for it limitSeconds=60');
    await service.release();
  });
});
