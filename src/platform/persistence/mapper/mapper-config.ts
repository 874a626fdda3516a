import { KeyName } from '../../../config/names/key-name.js';
import type { Entry } from '../../../config/read/source.js';
import type { MapperProblems } from './mapper-problems.js';
import type { MapperNode } from './mapper-xml.js';
import type { TypeNames } from './result-type.js';

/** The content of the file of `mapper.config-location`. */
export interface XmlConfiguration {
  /** The keys that the settings set. */
  readonly settings: readonly Entry[];
  readonly types: TypeNames;
  /** Locations of further mapper files. */
  readonly locations: readonly string[];
}

/** The settings with a key of the same name, each with the form of its value. */
const SETTINGS: ReadonlyMap<string, RegExp> = new Map([
  ['mapUnderscoreToCamelCase', /^(?:true|false)$/],
  ['callSettersOnNulls', /^(?:true|false)$/],
  ['defaultFetchSize', /^\d{1,6}$/],
  ['defaultStatementTimeout', /^[1-9]\d{0,5}$/],
  ['jdbcTypeForNull', /^(?:NULL|OTHER|VARCHAR)$/],
]);

/** Reads the configuration; without a file, it is empty. */
export function readXmlConfiguration(root: MapperNode | undefined, problems: MapperProblems): XmlConfiguration {
  const all = (name: string): readonly MapperNode[] =>
    (root?.children ?? []).flatMap(({ children }) => children).filter((element) => element.name === name);
  return {
    // The last one of several settings is in force.
    settings: all('setting')
      .flatMap((element) => settingOf(element, problems))
      .reverse(),
    types: {
      aliases: new Map(all('typeAlias').map((element) => [element.attribute('alias'), element.attribute('type')])),
      packages: all('package').map((element) => element.attribute('name')),
    },
    locations: all('mapper').flatMap((element) => locationOf(element, problems)),
  };
}

function settingOf(element: MapperNode, problems: MapperProblems): readonly Entry[] {
  const [name, text] = [element.attribute('name'), element.attribute('value')];
  const form = SETTINGS.get(name);
  if (form?.test(text)) {
    const key = KeyName.parse(`mapper.configuration.${name}`);
    return [{ key, spelled: String(key), text, origin: element.at }];
  }
  const reason = form ? `it must match ${form.source}` : `known are: ${[...SETTINGS.keys()].join(', ')}`;
  problems.add(element.at, `The setting ${name}="${text}" cannot be used`, reason);
  return [];
}

function locationOf(element: MapperNode, problems: MapperProblems): readonly string[] {
  const [url, resource] = [element.attribute('url'), element.attribute('resource')];
  if ((url === '') !== (resource === '')) return [url || `classpath:${resource}`];
  problems.add(element.at, '<mapper> needs one of the attributes resource and url');
  return [];
}
