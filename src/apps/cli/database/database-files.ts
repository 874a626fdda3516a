import { analyzeFailure } from '../../server/failure-analysis.js';
import { SystemClock } from '../../../kernel/clock/clock.js';
import type { Configuration } from '../../../config/configuration.js';
import { DatabaseAddress } from '../../../platform/persistence/database-address.js';
import { SystemRandom } from '../../../kernel/random/random.js';
import { TokenProperties } from '../../../identity/token/token.properties.js';
import type { BackupCommandParts } from './backup.command.js';

/** `backup` and `restore` on connections of their own: they start neither the service nor its migrations. */
export function databaseFiles(
  configuration: () => Configuration,
): Pick<BackupCommandParts, 'backUp' | 'checkRestore' | 'hasOwnSigningKey'> {
  const explained = async <T>(read: Configuration, run: (settings: DatabaseAddress) => Promise<T>): Promise<T> => {
    try {
      return await run(await DatabaseAddress.of(read));
    } catch (error) {
      throw analyzeFailure(error, read);
    }
  };
  return {
    // Loaded for these commands only, like the service for the others.
    backUp: async (file) => {
      const { backUp } = await import('../../../platform/persistence/backup/back-up.js');
      const { BACKUP } = await import('../../schema/backup-tables.js');
      const [clock, random] = [new SystemClock(), new SystemRandom()];
      return explained(configuration(), (settings) => backUp(settings, file, BACKUP, clock, random));
    },
    checkRestore: async (file, options) => {
      const { inspectBackup } = await import('../../../platform/persistence/backup/load.js');
      const { checkTarget } = await import('../../../platform/persistence/backup/restore-target.js');
      const { BACKUP } = await import('../../schema/backup-tables.js');
      await inspectBackup(file, BACKUP, () => undefined);
      await explained(configuration(), (settings) => checkTarget(settings, BACKUP, options));
    },
    hasOwnSigningKey: () => configuration().get(TokenProperties).signingKey !== undefined,
  };
}
