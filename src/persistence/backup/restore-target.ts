import { setTimeout as wait } from 'node:timers/promises';
import { BackupRejected } from './backup-format.js';
import { DatabaseConnection, isFileInUse, isMissing, type Settings } from './database-connection.js';
import { HAS_DATA, hasAccounts } from './load.js';

/**
 * Checks the database of a restore before anything opens it for a change.
 * @throws BackupRejected if it is in use, is newer than this version, or has accounts that must not be replaced
 */
export async function checkTarget(settings: Settings, { replace }: { readonly replace: boolean }): Promise<void> {
  if (isMissing(settings)) return;
  if (isFileInUse(settings)) throw inUse();
  await DatabaseConnection.during(settings, async (connection) => {
    if (await staysInUse(connection)) throw inUse();
    const { applied, unknown } = await connection.migrations();
    // Even if they are declared compatible: a restore would leave the rows of tables that this version does not know.
    if (unknown.length > 0) {
      throw new BackupRejected(
        'The tables of the database are newer than this version of the service. Nothing was changed.',
      );
    }
    if (!replace && applied.length > 0 && (await hasAccounts(connection.read))) throw new BackupRejected(HAS_DATA);
  });
}

/** A server lists a session for a moment longer than its client lives: until its statement ends and is taken back. */
const ENDING_MILLIS = 2000;
const PAUSE_MILLIS = 50;

async function staysInUse(connection: DatabaseConnection): Promise<boolean> {
  for (let waited = 0; waited < ENDING_MILLIS; waited += PAUSE_MILLIS) {
    if (!(await connection.hasOthers())) return false;
    await wait(PAUSE_MILLIS);
  }
  return connection.hasOthers();
}

function inUse(): BackupRejected {
  return new BackupRejected(
    'The database is in use: stop all replicas of the service, and close other sessions. Nothing was changed.',
  );
}
