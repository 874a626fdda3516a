import { isUnknownTimeZone, isUnknownVariable } from './driver-failure.js';
import type { ServerConnection } from './server-connection.js';

/**
 * What the service relies on, since a server, or the `init_connect` of its operator, may give sessions other defaults.
 * READ COMMITTED locks the changed rows and no gaps between them, so that transactions of different users do not collide.
 * A lock that is not granted within seconds is reported as an error.
 */
const STATE = [
  'NAMES utf8mb4 COLLATE utf8mb4_unicode_ci',
  'autocommit = 1',
  // Texts are stored as they are, an empty one included, or rejected.
  "sql_mode = 'IGNORE_SPACE,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'",
  'sql_safe_updates = 0',
  'sql_select_limit = 18446744073709551615',
  'sql_big_selects = 1',
  'sql_auto_is_null = 0',
  // A unique key decides which of several requests wins.
  'unique_checks = 1',
  "completion_type = 'NO_CHAIN'",
  'innodb_lock_wait_timeout = 3',
] as const;

/**
 * MariaDB and MySQL have different names for the same variables. Each reads the comments that are meant for it: MariaDB skips
 * those for MySQL 5.7 to 8, and MySQL skips those that begin with `M`.
 */
const MARIADB = (assignments: string): string => `/*M!100000 , ${assignments} */`;
const MYSQL = (assignments: string): string => `/*!50720 , ${assignments} */`;
const ISOLATION =
  MARIADB("tx_isolation = 'READ-COMMITTED', tx_read_only = 0") +
  MYSQL("transaction_isolation = 'READ-COMMITTED', transaction_read_only = 0");
/** On a Galera cluster, a read waits for what other nodes have committed before. Some builds of MariaDB lack the variable. */
const READ_CURRENT = MARIADB('wsrep_sync_wait = 1');

/**
 * Sets the state of a new session by one statement, which the server executes as a whole or not at all. Startup reports a
 * time zone that the server does not know, since nothing that is stored depends on it.
 */
export async function setSessionState(connection: ServerConnection, timeZone: string | undefined): Promise<void> {
  let zone = timeZone === undefined ? '' : `, time_zone = '${timeZone}'`;
  let readCurrent = READ_CURRENT;
  for (;;) {
    try {
      await connection.query(`SET ${STATE.join(', ')}${zone} ${ISOLATION} ${readCurrent}`);
      return;
    } catch (error) {
      if (zone !== '' && isUnknownTimeZone(error)) zone = '';
      else if (readCurrent !== '' && isUnknownVariable(error)) readCurrent = '';
      else throw error;
    }
  }
}
