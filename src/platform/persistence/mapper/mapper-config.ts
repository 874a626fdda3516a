import { KeyName } from '../../../config/names/key-name.js';
import type { Position } from '../../../config/read/origin.js';
import type { Entry } from '../../../config/read/source.js';
import { checkAttributes, contentFault } from './dynamic-sql.js';
import type { MapperProblems } from './mapper-problem.js';
import { addTo } from './mapper-file.js';
import type { MapperElement } from './mapper-xml.js';

/** The part of an XML configuration that has an effect. */
export interface XmlConfiguration {
  /** The keys that the settings set. */
  readonly settings: readonly Entry[];
  /** Full names of types by alias. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly packages: readonly string[];
  /** Locations of further mapper files. */
  readonly locations: readonly string[];
}

export const NO_CONFIGURATION: XmlConfiguration = {
  settings: [],
  aliases: new Map(),
  packages: [],
  locations: [],
};

const FLAG = /^(?:true|false)$/;

/** The settings that are read, which are those with a key of their own. */
const SETTINGS: Readonly<Record<string, RegExp>> = {
  mapUnderscoreToCamelCase: FLAG,
  callSettersOnNulls: FLAG,
  defaultFetchSize: /^\d{1,6}$/,
  // Without a limit, rule 6 of the configuration would be broken unseen.
  defaultStatementTimeout: /^[1-9]\d{0,5}$/,
  jdbcTypeForNull: /^(?:NULL|OTHER|VARCHAR)$/,
};

const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  settings: ['setting'],
  typeAliases: ['typeAlias', 'package'],
  mappers: ['mapper'],
};

/** Reads the elements `settings`, `typeAliases` and `mappers`; others are faults, since they would have no effect. */
export function readXmlConfiguration(root: MapperElement, faults: MapperProblems): XmlConfiguration {
  const found = {
    settings: [] as Entry[],
    aliases: new Map<string, string>(),
    packages: [] as string[],
    locations: [] as string[],
  };
  const addFault = addTo(faults);
  if (root.name !== 'configuration') addFault(root.at, `The file begins with <configuration>, not <${root.name}>`);
  else {
    for (const section of elementsIn(root)) {
      const known = Object.hasOwn(SECTIONS, section.name) ? SECTIONS[section.name] : undefined;
      if (!known) {
        const reason = `elements with an effect are ${Object.keys(SECTIONS).join(', ')}`;
        addFault(section.at, `<${section.name}> has no effect here`, reason);
        continue;
      }
      for (const element of elementsIn(section)) {
        if (!known.includes(element.name)) addFault(element.at, `<${element.name}> is not known in <${section.name}>`);
        else if (!contentFault(element, { addFault })) readElement(element, found, faults);
      }
    }
  }
  return found;
}

function readElement(
  element: MapperElement,
  found: { settings: Entry[]; aliases: Map<string, string>; packages: string[]; locations: string[] },
  faults: MapperProblems,
): void {
  const addFault = addTo(faults);
  const { name, at, attributes } = element;
  const value = (attribute: string): string => attributes.get(attribute) ?? '';
  const has = (...required: readonly string[]): boolean => checkAttributes(element, { required }, { addFault });
  switch (name) {
    case 'setting': {
      if (!has('name', 'value')) return;
      const form = Object.hasOwn(SETTINGS, value('name')) ? SETTINGS[value('name')] : undefined;
      const known = `settings with an effect are ${Object.keys(SETTINGS).join(', ')}`;
      if (!form) addFault(at, `The setting ${value('name')} has no effect here`, known);
      else if (form.test(value('value'))) found.settings.unshift(entryOf(value('name'), value('value'), at));
      else addFault(at, `The setting ${value('name')} cannot have this value`);
      return;
    }
    case 'typeAlias':
      if (has('alias', 'type')) found.aliases.set(value('alias'), value('type'));
      return;
    case 'package':
      if (has('name')) found.packages.push(value('name'));
      return;
    default:
      if (attributes.has('url')) {
        if (has('url')) found.locations.push(value('url'));
      } else if (has('resource')) found.locations.push(`classpath:${value('resource')}`);
  }
}

/** The key of a setting has the same name. */
function entryOf(name: string, text: string, origin: Position): Entry {
  const key = KeyName.parse(`mapper.configuration.${name}`);
  return { key, spelled: String(key), text, origin };
}

function elementsIn({ children }: MapperElement): readonly MapperElement[] {
  return children.filter((child): child is MapperElement => !('text' in child));
}
