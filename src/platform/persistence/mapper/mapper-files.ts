import type { Configuration } from '../../../config/configuration.js';
import { ConfigurationFailure, type Problem, problem } from '../../../config/problem.js';
import { decoded, wholeFile } from '../../../config/read/file-access.js';
import { ConfigSource } from '../../../config/read/source.js';
import { ifBound } from '../../../config/bind/unbound.js';
import { DATABASE_IDS, type DatabaseId } from './database-id.js';
import { readXmlConfiguration, type XmlConfiguration } from './mapper-config.js';
import { CONFIGURATION_FILE, type ElementRules, MAPPER_FILE } from './mapper-grammar.js';
import { MapperProblems } from './mapper-problems.js';
import { filesAt, type Folders, type LocatedFile, PACKAGED } from './mapper-locations.js';
import { MapperConfigurationProperties, MapperProperties } from './mapper.properties.js';
import { type MapperNode, readMapperXml } from './mapper-xml.js';
import { type CompiledStatement, Declarations } from './statement-compiler.js';

/** The statements of all mapper files, with the problems of these files. */
export interface MapperFiles {
  readonly problems: readonly Problem[];
  readonly settings: MapperConfigurationProperties;
  /** Statements by name, for each engine. */
  readonly statements: ReadonlyMap<DatabaseId, ReadonlyMap<string, CompiledStatement>>;
}

/** Rules and the injector see the same configuration, and each file is read once. */
const read = new WeakMap<MapperProperties, MapperFiles>();

/** Reads the mapper files of a configuration. */
export function mapperFiles(configuration: Configuration, folders: Folders): MapperFiles {
  const properties = configuration.get(MapperProperties);
  let files = read.get(properties);
  if (files === undefined) read.set(properties, (files = new FileReader(configuration, folders).all(properties)));
  return files;
}

/**
 * The file of `mapper.config-location` as a source of the keys that its settings set; undefined without one, or if it
 * cannot be read, which the rule of the mapper files reports.
 */
export function mapperSource(configuration: Configuration, folders: Folders): ConfigSource | undefined {
  const location = ifBound(() => configuration.get(MapperProperties).configLocation, undefined);
  const { settings } = new FileReader(configuration, folders).configurationAt(location);
  if (settings.length === 0) return undefined;
  return new ConfigSource('file', `Config resource '${location ?? ''}' via mapper.config-location`, settings);
}

class FileReader {
  private readonly problems = new MapperProblems();

  constructor(
    private readonly configuration: Configuration,
    private readonly folders: Folders,
  ) {}

  all({ mapperLocations, typeAliasesPackage = '', configLocation }: MapperProperties): MapperFiles {
    const xml = this.configurationAt(configLocation);
    const files = [
      ...[PACKAGED, ...mapperLocations].flatMap((location) => this.filesAt(location, 'mapper.mapper-locations')),
      ...xml.locations.flatMap((location) => this.filesAt(location, 'mapper.config-location')),
    ];
    const declarations = new Declarations(this.problems);
    for (const file of new Map(files.map((each) => [each.path, each])).values()) {
      const root = this.rootOf(file, MAPPER_FILE);
      if (root) declarations.addFile(root);
    }
    const packages = typeAliasesPackage.split(/[\s,;]+/).filter((name) => name !== '');
    const types = { ...xml.types, packages: [...packages, ...xml.types.packages] };
    const statements = new Map(DATABASE_IDS.map((id) => [id, declarations.compile(id, types)]));
    const settings = this.configuration.get(MapperConfigurationProperties);
    return { problems: this.problems.problems, settings, statements };
  }

  configurationAt(location: string | undefined): XmlConfiguration {
    const key = 'mapper.config-location';
    const files = location === undefined ? [] : this.filesAt(location, key);
    if (files.length > 1) this.reportLocation(location, key, 'it must name one file');
    const [file] = files.length === 1 ? files : [];
    return readXmlConfiguration(file && this.rootOf(file, CONFIGURATION_FILE), this.problems);
  }

  private filesAt(location: string, key: string): readonly LocatedFile[] {
    const files = filesAt(location, this.folders);
    if (typeof files !== 'string') return files;
    this.reportLocation(location, key, files);
    return [];
  }

  private reportLocation(location = '', key: string, reason: string): void {
    const facts = { Property: key, Origin: this.configuration.originOf(key), Reason: reason };
    this.problems.addProblem(
      problem(`The location ${location} of mapper files cannot be used`, `Correct ${key}.`, facts),
    );
  }

  private rootOf({ path, resource }: LocatedFile, rules: ElementRules): MapperNode | undefined {
    try {
      const text = decoded(wholeFile(path, resource, undefined).bytes, resource, undefined);
      return readMapperXml(text, resource, rules, this.problems);
    } catch (error) {
      if (!(error instanceof ConfigurationFailure)) throw error;
      for (const each of error.problems) this.problems.addProblem(each);
      return undefined;
    }
  }
}
