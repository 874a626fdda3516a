import type { DataSource } from 'typeorm';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { openDatabase, poolOf, unitOfWork } from '../../../src/platform/persistence/database.js';
import { MigrationState } from '../../../src/platform/persistence/migrations/migration-state.js';
import { migrate } from '../../../src/platform/persistence/migrations/migrations.js';
import type { DatabaseServer } from '../../support/database/database-server.js';
import type { FreshDatabase } from '../../support/database/fresh-database.js';
import { administer, databaseOf, OTHER_DEFAULTS, startHostileServer } from '../../support/http/hostile-server.js';
import { needs } from '../../support/runner/needs.js';

const MARK = 'INSERT INTO used_mfa_token (jti, expires_at) VALUES (?, ?)';
const STATE = `SELECT @@autocommit, @@sql_mode, @@sql_safe_updates, @@sql_select_limit, @@tx_isolation, @@tx_read_only,
  @@completion_type, @@unique_checks, @@sql_auto_is_null, @@sql_big_selects, @@innodb_lock_wait_timeout, @@time_zone,
  @@character_set_client, @@character_set_connection, @@character_set_results, @@wsrep_sync_wait`;

const SETTINGS = Object.entries(OTHER_DEFAULTS);

needs('mariadb')('a session at a server with other defaults', () => {
  let server: DatabaseServer;
  let ordinary: unknown;
  const opened: DataSource[] = [];
  let databases = 0;

  beforeAll(async () => {
    server = await startHostileServer();
    ordinary = await stateOf(await open(await empty()));
  });
  afterEach(async () => {
    for (const dataSource of opened.splice(0)) await dataSource.destroy();
    await administer(server, ...RESTORED);
  });
  afterAll(() => server.stop());

  function empty(): Promise<FreshDatabase> {
    databases += 1;
    return databaseOf(server, `login_${databases}`);
  }

  async function open(database: FreshDatabase): Promise<DataSource> {
    const dataSource = await openDatabase(database, {}, () => Promise.resolve());
    opened.push(dataSource);
    return dataSource;
  }

  it.each(SETTINGS)('D1: with %s, migrations and units of work are committed', async (_, statement) => {
    const database = await empty();
    await administer(server, statement);
    const first = await open(database);
    await migrate(first);
    const work = unitOfWork(first);
    await work.run((tx) => tx.insert(MARK, ['', 1]));
    await work.single((tx) => tx.insert(MARK, ['schlüssel 🔑', 2]));
    const isRepeated = await work.run((tx) => tx.insert(MARK, ['schlüssel 🔑', 3]));
    const changed = await work.single((tx) => tx.change('UPDATE used_mfa_token SET expires_at = 4'));

    const second = await open(database);
    const stored = await unitOfWork(second).single((tx) =>
      tx.rows(
        'SELECT a.jti, a.expires_at FROM used_mfa_token a, used_mfa_token b WHERE b.expires_at = 4 AND a.jti = b.jti ORDER BY a.jti',
      ),
    );

    expect((await MigrationState.read(second)).pending).toEqual([]);
    expect({ isRepeated, changed, stored }).toEqual({
      isRepeated: false,
      changed: 2,
      stored: [
        { jti: '', expires_at: 4 },
        { jti: 'schlüssel 🔑', expires_at: 4 },
      ],
    });
  });

  it('D1: the state of a session does not depend on the defaults of the server', async () => {
    const database = await empty();
    await administer(server, ...SETTINGS.map(([, statement]) => statement));

    expect(await stateOf(await open(database))).toEqual(ordinary);
  });

  it('D1: a connection that replaces another one has the same state', async () => {
    const dataSource = await open(await empty());
    await administer(server, ...SETTINGS.map(([, statement]) => statement));
    const pool = poolOf(dataSource);
    pool?.evict(() => true);

    expect(await stateOf(dataSource)).toEqual(ordinary);
  });
});

/** The defaults of a new server. */
const RESTORED = [
  "SET GLOBAL autocommit = 1, GLOBAL sql_mode = 'STRICT_TRANS_TABLES', GLOBAL sql_safe_updates = 0",
  "SET GLOBAL sql_select_limit = 18446744073709551615, GLOBAL tx_isolation = 'REPEATABLE-READ', GLOBAL tx_read_only = 0",
  "SET GLOBAL completion_type = 'NO_CHAIN', GLOBAL unique_checks = 1, GLOBAL sql_big_selects = 1",
  "SET GLOBAL max_join_size = 18446744073709551615, GLOBAL time_zone = 'SYSTEM'",
];

async function stateOf(dataSource: DataSource): Promise<unknown> {
  const lease = await poolOf(dataSource)?.borrow();
  try {
    // As it is: `query` of the connection would switch autocommit on first.
    return await new Promise((resolve, reject) => {
      lease?.connection.driver.query(STATE, (error: Error | null, rows: unknown) => {
        if (error) reject(error);
        else resolve(rows);
      });
    });
  } finally {
    lease?.release();
  }
}
