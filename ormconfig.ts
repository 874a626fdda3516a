/**
 * The data source of the TypeORM command line, from the same configuration as the service:
 * `npm run orm -- query -d ormconfig.ts 'SELECT 1'`. Node itself strips the types of this file; the decorated classes
 * behind it have to be built, so their values come from dist.
 */
import { DataSource } from 'typeorm';
import type * as configuration from './src/apps/server/service-configuration.js';
import type * as inputs from './src/config/read/process-inputs.js';
import type * as database from './src/platform/persistence/database.js';
import type * as datasource from './src/platform/persistence/datasource.properties.js';
import type * as repositories from './src/platform/persistence/repositories.js';

const { loadServiceConfiguration } = (await built('apps/server/service-configuration.js')) as typeof configuration;
const { processInputs } = (await built('config/read/process-inputs.js')) as typeof inputs;
const { dataSourceOptions } = (await built('platform/persistence/database.js')) as typeof database;
const { DatasourceProperties } = (await built('platform/persistence/datasource.properties.js')) as typeof datasource;
const { withEntities } = (await built('platform/persistence/repositories.js')) as typeof repositories;
// It names every entity.
await built('apps/schema/backup-tables.js');

// The arguments belong to TypeORM: keys come from files and the environment here.
const settings = loadServiceConfiguration(processInputs([])).get(DatasourceProperties);

export const dataSource = withEntities(new DataSource(await dataSourceOptions(settings)));

function built(file: string): Promise<unknown> {
  return import(new URL(`dist/${file}`, import.meta.url).href);
}
