import { createConnection } from 'mysql2/promise';
import { expect, it } from 'vitest';
import { freePort } from '../../support/programs/free-port.js';
import { freshMariadbDatabase } from '../../support/database/fresh-database.js';
import { HttpClient } from '../../support/http/http-client.js';
import { needs } from '../../support/runner/needs.js';
import { type RunningService, runService, startService } from '../../support/programs/service.js';
import { onEachEngine } from '../../support/database/story-database.js';
import { waitUntil } from '../../support/runner/wait-until.js';

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

needs('mariadb')('D5: a startup while another process changes the tables', () => {
  /** Starts a service that waits for the lock of the migrations, until `release` is called. */
  async function waiting(args: readonly string[]): Promise<{
    readonly starting: Promise<RunningService>;
    readonly release: () => Promise<void>;
  }> {
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
        ...args,
      ],
    });
    await waitUntil('the startup waits for the lock', async () => {
      const [rows] = await other.query(
        "SELECT ID FROM information_schema.PROCESSLIST WHERE STATE = 'User lock' AND DB = DATABASE()",
      );
      return (rows as readonly unknown[]).length > 0;
    });
    const release = async (): Promise<void> => {
      await other.query('SELECT RELEASE_ALL_LOCKS()');
      await other.end();
    };
    return { starting, release };
  }

  const statusesAt = (port: number, paths: readonly string[]): Promise<readonly number[]> =>
    Promise.all(paths.map(async (path) => (await fetch(`http://127.0.0.1:${port}${path}`)).status));

  it('D5: logs that it waits, and continues', async () => {
    const { starting, release } = await waiting([]);

    await release();
    const service = await starting;

    expect(service.log).toContain('INFO Another process changes the tables: startup waits for it limitSeconds=60');
    await service.release();
  });

  it('D5: answers probes on its port, below the context path, and rejects everything else with 503', async () => {
    const port = await freePort();
    const paths = ['/c/actuator/health/liveness', '/c/actuator/health/readiness', '/c/livez', '/c/', '/c/portal/login'];
    const { starting, release } = await waiting([
      `--server.port=${port}`,
      '--server.servlet.context-path=/c',
      '--management.endpoint.health.probes.enabled=true',
      '--management.endpoint.health.probes.add-additional-paths=true',
    ]);

    const body: unknown = await (await fetch(`http://127.0.0.1:${port}/c/actuator/health/liveness`)).json();
    const rejected = await new HttpClient(`http://127.0.0.1:${port}/c`).post('/login', { id: 'a', pw: 'b' });
    const meanwhile = await statusesAt(port, paths);
    await release();
    const service = await starting;
    const afterwards = await statusesAt(port, paths.slice(0, 3));
    await service.release();

    expect(body).toEqual({ status: 'UP' });
    expect(meanwhile).toEqual([200, 503, 200, 503, 503]);
    expect(rejected.status).toBe(503);
    expect(rejected.headers.get('retry-after')).not.toBeNull();
    expect(rejected.body).toMatchObject({ code: 'UNAVAILABLE' });
    expect(afterwards).toEqual([200, 200, 200]);
  });

  it('D5: answers probes on the port of the management endpoints', async () => {
    const [port, management] = [await freePort(), await freePort()];
    const { starting, release } = await waiting([
      `--server.port=${port}`,
      `--management.server.port=${management}`,
      '--management.server.base-path=/ops',
    ]);

    const meanwhile = await statusesAt(management, ['/ops/actuator/health/liveness', '/ops/actuator/health/readiness']);
    const users = await statusesAt(port, ['/', '/actuator/health/readiness']);
    await release();
    const service = await starting;
    const afterwards = await statusesAt(management, ['/ops/actuator/health/readiness']);
    await service.release();

    expect(meanwhile).toEqual([200, 503]);
    expect(users).toEqual([503, 503]);
    expect(afterwards).toEqual([200]);
  });
});
