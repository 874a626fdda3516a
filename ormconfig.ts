/**
 * The data source of the TypeORM command line, from the same configuration as the service:
 * `npm run orm -- query -d ormconfig.ts 'SELECT 1'`. Node itself strips the types of this file; the decorated classes
 * behind it have to be built, so their values come from dist.
 */
import { DataSource } from 'typeorm';
import type * as configuration from './src/config/configuration.js';
import type * as inputs from './src/config/read/process-inputs.js';
import type * as database from './src/platform/persistence/database.js';
import type * as datasource from './src/platform/persistence/datasource.properties.js';
import type * as properties from './src/apps/server/properties.js';

const { loadConfiguration } = (await built('config/configuration.js')) as typeof configuration;
const { processInputs } = (await built('config/read/process-inputs.js')) as typeof inputs;
const { dataSourceOptions } = (await built('persistence/database.js')) as typeof database;
const { DatasourceProperties } = (await built('persistence/datasource.properties.js')) as typeof datasource;
const { PROPERTIES } = (await built('boot/properties.js')) as typeof properties;

// The arguments belong to TypeORM: keys come from files and the environment here.
const settings = loadConfiguration(PROPERTIES, processInputs([])).get(DatasourceProperties);

export const dataSource = new DataSource(await dataSourceOptions(settings));

function built(file: string): Promise<unknown> {
  return import(new URL(`dist/${file}`, import.meta.url).href);
}
