import { createConnection } from 'mysql2/promise';
import { type DatabaseServer, startDatabaseServer } from '../database/database-server.js';
import type { FreshDatabase } from '../database/fresh-database.js';
import { temporaryFolder } from '../programs/temporary-folder.js';

/** Statements of an administrator after which new sessions have other defaults than those of a new server. */
export const OTHER_DEFAULTS = {
  'autocommit = 0': 'SET GLOBAL autocommit = 0',
  'the SQL mode of Oracle': "SET GLOBAL sql_mode = 'ORACLE,EMPTY_STRING_IS_NULL,NO_BACKSLASH_ESCAPES'",
  'no strict SQL mode': "SET GLOBAL sql_mode = ''",
  sql_safe_updates: 'SET GLOBAL sql_safe_updates = 1',
  'sql_select_limit = 1': 'SET GLOBAL sql_select_limit = 1',
  'the isolation SERIALIZABLE': "SET GLOBAL tx_isolation = 'SERIALIZABLE'",
  'read-only transactions': 'SET GLOBAL tx_read_only = 1',
  'a session that ends with its transaction': "SET GLOBAL completion_type = 'RELEASE'",
  'no check of unique keys': 'SET GLOBAL unique_checks = 0',
  'a limit of rows that a statement reads': 'SET GLOBAL max_join_size = 1, GLOBAL sql_big_selects = 0',
  'another time zone': "SET GLOBAL time_zone = '+09:00'",
} as const;

/** A private MariaDB on which each session begins in Latin-1, whatever its client asks for. */
export async function startHostileServer(): Promise<DatabaseServer> {
  const options = ['--character-set-server=latin1', '--skip-character-set-client-handshake'];
  return startDatabaseServer('mariadb', temporaryFolder('hostile'), options);
}

/** Executes statements as the administrator of the server. */
export async function administer(server: DatabaseServer, ...statements: readonly string[]): Promise<void> {
  const { host, port, user, password } = server;
  const connection = await createConnection({ host, port, user, password });
  // A session whose own defaults end it would lose its statements.
  await connection.query("SET completion_type = 'NO_CHAIN', autocommit = 1, tx_read_only = 0");
  for (const statement of statements) await connection.query(statement);
  await connection.end();
}

/** An empty database on that server, with an account that has no other rights. */
export async function databaseOf(server: DatabaseServer, name: string): Promise<FreshDatabase> {
  const { host, port } = server;
  const password = `${name} s3cret`;
  await administer(
    server,
    `CREATE DATABASE ${name}`,
    `CREATE USER '${name}'@'${host}' IDENTIFIED BY '${password}'`,
    `GRANT ALL PRIVILEGES ON ${name}.* TO '${name}'@'${host}'`,
  );
  return { url: `jdbc:mariadb://${host}:${port}/${name}`, username: name, password, server };
}
