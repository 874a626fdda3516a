import type { Configuration } from '../../../config/configuration.js';
import { ConfigurationFailure, type Problem, problem } from '../../../config/problem.js';
import { decoded, wholeFile } from '../../../config/read/file-access.js';
import { ConfigSource } from '../../../config/read/source.js';
import { ifBound } from '../../../config/bind/unbound.js';
import { DATABASE_IDS, type DatabaseId } from './database-id.js';
import { NO_CONFIGURATION, readXmlConfiguration, type XmlConfiguration } from './mapper-config.js';
import { MapperProblems } from './mapper-problem.js';
import { declare, MapperDeclarations } from './mapper-file.js';
import { filesAt, type Folders, type LocatedFile, PACKAGED } from './mapper-locations.js';
import { MapperConfigurationProperties, MapperProperties } from './mapper.properties.js';
import { readMapperXml, type MapperElement } from './mapper-xml.js';
import type { ResultSettings, TypeNames } from './result-rows.js';
import { type CompiledStatement, StatementCompiler } from './statement-compiler.js';

/** The settings in force. */
export interface MapperSettings extends ResultSettings {
  /** Milliseconds; 0 sets no limit. */
  readonly statementTimeoutMillis: number;
  /** Rows that are read at a time where all of them are read; 0 leaves it to the caller. */
  readonly fetchSize: number;
}

/** All mapper files as they were read, with all their faults. */
export interface MapperFiles {
  readonly problems: readonly Problem[];
  readonly settings: MapperSettings;
  /** Compiles the statements of files without faults. */
  compile(databaseId: DatabaseId): ReadonlyMap<string, CompiledStatement>;
}

/** Rules and the injector see the same configuration, and each file is read once. */
const read = new WeakMap<MapperProperties, MapperFiles>();

/** Reads the mapper files of a configuration. */
export function mapperFiles(configuration: Configuration, folders: Folders): MapperFiles {
  const properties = configuration.get(MapperProperties);
  let files = read.get(properties);
  if (files === undefined) read.set(properties, (files = readAll(configuration, folders)));
  return files;
}

function readAll(configuration: Configuration, folders: Folders): MapperFiles {
  const properties = configuration.get(MapperProperties);
  const faults = new MapperProblems();
  const declarations = new MapperDeclarations();
  const known = new Map<string, LocatedFile>();
  const locate = (location: string, key: string): void => {
    const files = filesAt(location, folders);
    if (typeof files === 'string') faults.addProblem(unusable(configuration, key, location, files));
    else for (const file of files) known.set(file.path, file);
  };
  locate(PACKAGED, 'mapper.mapper-locations');
  for (const location of properties.mapperLocations) locate(location, 'mapper.mapper-locations');
  const xml = xmlConfiguration(properties.configLocation, configuration, folders, faults);
  for (const location of xml.locations) locate(location, 'mapper.config-location');
  for (const file of known.values()) {
    const root = rootOf(file, faults);
    if (root) declare(root, declarations, faults);
  }
  const packages = (properties.typeAliasesPackage ?? '').split(/[\s,;]+/).filter((name) => name !== '');
  const types: TypeNames = { aliases: xml.aliases, packages: [...packages, ...xml.packages] };
  for (const id of DATABASE_IDS) new StatementCompiler(declarations, id, types, faults).all();
  return {
    problems: faults.problems,
    settings: settingsOf(configuration),
    compile: (id) => new StatementCompiler(declarations, id, types, new MapperProblems()).all(),
  };
}

function xmlConfiguration(
  location: string | undefined,
  configuration: Configuration,
  folders: Folders,
  faults: MapperProblems,
): XmlConfiguration {
  if (location === undefined) return NO_CONFIGURATION;
  const files = filesAt(location, folders);
  const [file, ...others] = typeof files === 'string' ? [] : files;
  if (!file || others.length > 0) {
    const reason = typeof files === 'string' ? files : 'it must name one file';
    faults.addProblem(unusable(configuration, 'mapper.config-location', location, reason));
    return NO_CONFIGURATION;
  }
  const root = rootOf(file, faults);
  return root ? readXmlConfiguration(root, faults) : NO_CONFIGURATION;
}

function unusable(configuration: Configuration, key: string, location: string, reason: string): Problem {
  return problem(`The location ${location} of mapper files cannot be used`, `Correct ${key}.`, {
    Property: key,
    Origin: configuration.originOf(key),
    Reason: reason,
  });
}

function rootOf({ path, resource }: LocatedFile, faults: MapperProblems): MapperElement | undefined {
  try {
    const root = readMapperXml(decoded(wholeFile(path, resource, undefined).bytes, resource, undefined), resource);
    if (!('what' in root)) return root;
    faults.add(root);
  } catch (error) {
    if (!(error instanceof ConfigurationFailure)) throw error;
    for (const each of error.problems) faults.addProblem(each);
  }
  return undefined;
}

function settingsOf(configuration: Configuration): MapperSettings {
  const { mapUnderscoreToCamelCase, callSettersOnNulls, defaultFetchSize, defaultStatementTimeout } =
    configuration.get(MapperConfigurationProperties);
  return {
    mapUnderscoreToCamelCase,
    callSettersOnNulls,
    fetchSize: defaultFetchSize ?? 0,
    statementTimeoutMillis: defaultStatementTimeout?.milliseconds ?? 0,
  };
}

/**
 * The file of `mapper.config-location` as a source of the keys that its settings set; undefined without one, or if it
 * cannot be read, which the rule of the mapper files reports.
 */
export function mapperSource(configuration: Configuration, folders: Folders): ConfigSource | undefined {
  const location = ifBound(() => configuration.get(MapperProperties).configLocation, undefined);
  const { settings } = xmlConfiguration(location, configuration, folders, new MapperProblems());
  return settings.length === 0
    ? undefined
    : new ConfigSource('file', `Config resource '${location ?? ''}' via mapper.config-location`, settings);
}
