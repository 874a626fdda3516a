import { existsSync } from 'node:fs';
import { cwd } from 'node:process';
import type { Command } from 'commander';
import { targetOf } from '../server/process-target.js';
import type { Configuration } from '../../config/configuration.js';
import { ConfigurationFailure, problem } from '../../config/problem.js';
import { DatasourceProperties } from '../../platform/persistence/datasource.properties.js';
import { databaseFile } from '../../platform/persistence/jdbc/jdbc-url.js';

const CREATE = '--create';
const CREATING = new WeakSet<Command>();

/** Marks a command that can begin an installation: it creates the database, its tables and keys if they are missing. */
export function creating(command: Command): Command {
  CREATING.add(command);
  return command;
}

/** Adds the option that creates the embedded database; without it, the database must exist. */
export function withCreateOption(command: Command): Command {
  return command.option(CREATE, 'create the embedded database if there is none at app.datasource.url');
}

export function isCreating(command: Command): boolean {
  return CREATING.has(command) || command.opts<{ readonly create?: boolean }>().create === true;
}

/**
 * The line that names the database of a command; undefined if the configuration is invalid, which the command reports
 * itself.
 */
export function targetLine(read: () => Configuration): string | undefined {
  try {
    return targetOf(read());
  } catch (error) {
    if (error instanceof ConfigurationFailure) return undefined;
    throw error;
  }
}

/** @throws ConfigurationFailure if the embedded database does not exist */
export function requireDatabase(configuration: Configuration): void {
  const { url } = configuration.get(DatasourceProperties);
  const file = databaseFile(url);
  if (file === undefined || existsSync(file)) return;
  const action =
    'Run the command in the folder of the service, with its variables and arguments. Only the first start of the service, ' +
    `commands that add users or restore, and "migrate up ${CREATE}" create a database.`;
  throw new ConfigurationFailure([
    problem(`There is no database at ${file}`, action, {
      Property: 'app.datasource.url',
      Value: `"${url}"`,
      Origin: configuration.originOf('app.datasource.url'),
      Folder: cwd(),
    }),
  ]);
}
