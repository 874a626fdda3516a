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

/** What is taken from dist: by member, so that the check of exports sees which ones. */
interface Built {
  readonly loadServiceConfiguration: typeof configuration.loadServiceConfiguration;
  readonly processInputs: typeof inputs.processInputs;
  readonly dataSourceOptions: typeof database.dataSourceOptions;
  readonly DatasourceProperties: typeof datasource.DatasourceProperties;
  readonly withEntities: typeof repositories.withEntities;
}

const modules = await Promise.all([
  built('apps/server/service-configuration.js'),
  built('config/read/process-inputs.js'),
  built('platform/persistence/database.js'),
  built('platform/persistence/datasource.properties.js'),
  built('platform/persistence/repositories.js'),
  // It names every entity.
  built('apps/schema/backup-tables.js'),
]);
const { loadServiceConfiguration, processInputs, dataSourceOptions, DatasourceProperties, withEntities } =
  Object.assign({}, ...modules) as Built;

// The arguments belong to TypeORM: keys come from files and the environment here.
const settings = loadServiceConfiguration(processInputs([])).get(DatasourceProperties);

export const dataSource = withEntities(new DataSource(await dataSourceOptions(settings)));

function built(file: string): Promise<object> {
  return import(new URL(`dist/${file}`, import.meta.url).href) as Promise<object>;
}
