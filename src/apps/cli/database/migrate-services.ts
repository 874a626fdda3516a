import type { Configuration } from '../../../config/configuration.js';
import { DatabaseAddress } from '../../../platform/persistence/database-address.js';
import {
  DatasourceProperties,
  MigrationAccountProperties,
} from '../../../platform/persistence/datasource.properties.js';
import { DatabaseUnavailable } from '../../../platform/persistence/engines/database-unavailable.js';
import { MigrationAccount } from '../../../platform/persistence/migrations/migration-account.js';
import { MigrationState } from '../../../platform/persistence/migrations/migration-state.js';
import { migrate, unguarded, revertLast } from '../../../platform/persistence/migrations/migrations.js';
import { SchemaFailure } from '../../../platform/persistence/migrations/schema-failure.js';
// The import registers the migrations.
import '../../schema/history.js';
import { analyzeFailure } from '../../server/failure-analysis.js';
import type { MigrateServices } from './migrate.command.js';

/** @throws ConfigurationFailure if the database cannot be opened */
export async function openMigrateServices(configuration: Configuration): Promise<MigrateServices> {
  const account = new MigrationAccount(
    await DatabaseAddress.of(configuration),
    configuration.get(MigrationAccountProperties),
  );
  const dataSource = await account.open().catch((error: unknown) => {
    throw analyzeFailure(error, configuration);
  });
  const changed = async <T>(change: () => Promise<T>): Promise<T> => {
    try {
      return await account.explained(change);
    } catch (error) {
      if (error instanceof SchemaFailure) throw error;
      throw analyzeFailure(new DatabaseUnavailable(configuration.get(DatasourceProperties).url, error), configuration);
    }
  };
  const guardFor = (acceptsUse: boolean) => (acceptsUse ? unguarded : account.guardAgainstUse());
  return {
    state: () => changed(() => MigrationState.read(dataSource)),
    up: (acceptsUse) => changed(() => migrate(dataSource, { guard: guardFor(acceptsUse) })),
    down: ({ acceptsLoss, acceptsUse }) => changed(() => revertLast(dataSource, acceptsLoss, guardFor(acceptsUse))),
    close: () => dataSource.destroy(),
  };
}
