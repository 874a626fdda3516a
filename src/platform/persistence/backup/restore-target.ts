import { BackupRejection } from './backup-format.js';
import type { DatabaseSettings } from '../database-address.js';
import { DatabaseConnection, isMissing } from './database-connection.js';
import type { BackupPlan } from './backup-plan.js';
import { rejectGuarded } from './load.js';

/**
 * Checks the database of a restore before anything opens it for a change.
 * @throws BackupRejection if it is in use, is newer than this version, or has accounts that must not be replaced
 */
export async function checkTarget(
  settings: DatabaseSettings,
  plan: BackupPlan,
  { replace }: { readonly replace: boolean },
): Promise<void> {
  if (isMissing(settings)) return;
  await DatabaseConnection.during(settings, async (connection) => {
    const sessions = await connection.others();
    if (sessions.length > 0) throw inUse(sessions);
    const { applied, unknown } = await connection.migrations();
    // Even if they are declared compatible: a restore would leave the rows of tables that this version does not know.
    if (unknown.length > 0) {
      throw new BackupRejection(
        'The tables of the database are newer than this version of the service. Nothing was changed.',
      );
    }
    if (!replace && applied.length > 0) await rejectGuarded(plan, connection.read);
  });
}

function inUse(sessions: readonly string[]): BackupRejection {
  return new BackupRejection(
    `The database is in use (${sessions.join(', ')}): stop all replicas of the service, and close other sessions. Nothing was ` +
      'changed.',
  );
}
