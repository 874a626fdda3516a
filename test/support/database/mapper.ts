import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readServiceConfiguration } from '../../../src/apps/server/service-configuration.js';
// What the program declares for its mapper files.
import '../../../src/identity/events/events.mapping.js';
import '../../../src/platform/persistence/expiry.mapping.js';
import { configurationOf } from '../../../src/config/configuration.js';
import type { Loggers } from '../../../src/observability/logging/loggers.js';
import type { DatabaseId } from '../../../src/platform/persistence/mapper/database-id.js';
import { type MapperFiles, mapperFiles } from '../../../src/platform/persistence/mapper/mapper-files.js';
import { SqlMapper } from '../../../src/platform/persistence/mapper/sql-mapper.js';
import { temporaryFolder } from '../programs/temporary-folder.js';

const PACKAGE_FOLDER = fileURLToPath(new URL('../../../src/resources/', import.meta.url));

export interface MapperSituation {
  /** Files by their path in the working folder. */
  readonly files?: Readonly<Record<string, string>>;
  /** Files by their path in the package, in place of those of the service. */
  readonly packaged?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

/** Reads mapper files as a start would. */
export function readMappers({ files = {}, packaged, args = [] }: MapperSituation): MapperFiles {
  const folder = temporaryFolder('mapper');
  const workingFolder = join(folder, 'work');
  const packageFolder = packaged ? join(folder, 'package') : PACKAGE_FOLDER;
  write(workingFolder, files);
  if (packaged) write(packageFolder, packaged);
  const inputs = { args, variables: {}, workingFolder, packageFolder };
  return mapperFiles(configurationOf(readServiceConfiguration(inputs)), inputs);
}

/** A mapper over files without faults. */
export function mapperOf(
  situation: MapperSituation = {},
  { databaseId = 'sqlite', loggers }: { readonly databaseId?: DatabaseId; readonly loggers?: Loggers } = {},
): SqlMapper {
  const files = readMappers(situation);
  if (files.problems.length > 0) throw new TypeError(JSON.stringify(files.problems, undefined, 2));
  return new SqlMapper(files, databaseId, loggers);
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}
