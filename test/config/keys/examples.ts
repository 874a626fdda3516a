import { toStringMethod } from 'fast-check';
import type { PropertiesClass } from '../../../src/config/bind/properties-class.js';
import type { ConfigurationReading } from '../../../src/config/configuration.js';
import { ConfigProperties, ProfilesProperties } from '../../../src/config/config.properties.js';
import { KeyName } from '../../../src/config/names/key-name.js';
import { KeyRegistry, type KeyDefinition } from '../../../src/config/names/key-registry.js';
import type { ListType, ScalarType } from '../../../src/config/bind/key-type.js';
import { ConversionProblem } from '../../../src/config/problem.js';
import { baseName } from '../../../src/config/bind/key-state.js';
import { ifBound } from '../../../src/config/bind/unbound.js';
import { PROPERTIES } from '../../../src/apps/server/properties.js';
import { instanceIn, reading, type Situation } from './situation.js';

/** One key that can be set: a registered one, or an example of a key in a map or named object. */
export interface Example {
  readonly name: string;
  /** The named object it is a member of: its other members have their defaults as soon as one member is set. */
  readonly entry?: string;
  readonly type: ScalarType<unknown> | ListType<unknown>;
  readonly isSecret: boolean;
  readonly isFromProcessOnly: boolean;
  readonly isOfSelfCheckingClass: boolean;
  /** The registered class with the key, which may hold it in a named object. */
  readonly owner: PropertiesClass;
  /** True for an entry of a map, which has no default. */
  readonly isEntry: boolean;
  /** The default of the class; undefined without one. */
  readonly byDefault: unknown;
  /** The bound value; the key of a map may be spelled as its source spelled it. */
  boundIn(read: ConfigurationReading): unknown;
  /** How a counterexample names it. */
  readonly [toStringMethod]: () => string;
}

export const registry = new KeyRegistry(PROPERTIES);

/** Every registered key once, the free part of maps filled with `sample`, that of named objects with `web`. */
export const examples: readonly Example[] = registry.classes
  .flatMap((owner) => registry.definitionsOf(owner))
  .flatMap((definition) => examplesOf(definition).map((key) => ({ ...key, owner: definition.owner })));

function examplesOf(definition: KeyDefinition): readonly Example[] {
  const { type, owner, facts } = definition;
  const base = baseName(definition);
  const property = (read: ConfigurationReading): unknown => memberOf(instanceIn(read, owner), facts.property);
  switch (type.shape) {
    case 'scalar':
    case 'list':
      return [example(definition, base, type, property)];
    case 'map':
      return [example(definition, `${base}.sample`, type.element, (read) => entryOf(property(read), 'sample'))];
    case 'objects':
      return registry.membersOf(definition).definitions.map((member) => {
        const entry = `${base}.web`;
        const bound = (read: ConfigurationReading): unknown =>
          memberOf(entryOf(property(read), 'web'), member.facts.property);
        return { ...memberExample(member, entry, bound), entry };
      });
  }
}

function memberExample(member: KeyDefinition, entry: string, bound: Example['boundIn']): Example {
  const { type } = member;
  if (type.shape === 'objects') throw new TypeError(member.name);
  if (type.shape !== 'map') return example(member, `${entry}.${member.name}`, type, bound);
  const name = `${entry}.${baseName(member)}.sample`;
  return example(member, name, type.element, (read) => entryOf(bound(read), 'sample'));
}

function example(
  { isSecret, facts, owner, type: declared }: KeyDefinition,
  name: string,
  type: Example['type'],
  boundIn: Example['boundIn'],
): Example {
  const isOfSelfCheckingClass = 'violations' in new owner();
  const isFromProcessOnly = facts.fromProcessOnly ?? false;
  const isEntry = declared.shape === 'map';
  const byDefault = isEntry ? undefined : memberOf(new owner(), facts.property);
  return {
    name,
    type,
    isSecret,
    isFromProcessOnly,
    isOfSelfCheckingClass,
    owner,
    isEntry,
    byDefault,
    boundIn,
    [toStringMethod]: () => name,
  };
}

/** Undefined where the value could not be read. */
function memberOf(instance: unknown, property: string): unknown {
  return ifBound(() => (instance as Readonly<Record<string, unknown>> | undefined)?.[property], undefined);
}

function entryOf(map: unknown, key: string): unknown {
  const entries = Array.from((map as ReadonlyMap<string, unknown> | undefined) ?? []);
  return entries.find(([text]) => KeyName.parse(text).uniform === key)?.[1];
}

/** Texts that some type accepts; the first that fits a key and is not its default is the key's sample. */
const TEXTS: readonly string[] = [
  'sample',
  '/sample',
  'server:/sample',
  '7MB',
  '7s',
  '1234',
  '7',
  'false',
  'true',
  'Europe/Berlin',
  'jdbc:sqlite:./sample.db',
  'maximumSize=7',
  'yyyy',
  'EUC-KR',
  'mysql',
  'TLSv1.3',
  'TLS_AES_128_GCM_SHA256',
  '15',
  '7h',
  'ROLE_SAMPLE',
  'https://sample.example',
  'a text that is long enough to be a secret',
  'combined',
  '418',
  'sample.log.%d.%i.gz',
  '2027-03-01',
  'Login <no-reply@example.com>',
  '#336699',
  '0.5',
  'sample:7',
  '7/7s',
  '4',
  'cb69481e-8ff7-4039-93ec-0a2729a154a8',
];

/** 32 random bytes. */
export const SEAL_KEY = 'YJqqm0iDQooSq2V7hFAeW+/hxYGkL90MWmpmB8cXjcY=';

/** Keys whose values must fit the rest of the configuration. */
const SAMPLES: Readonly<Record<string, string>> = {
  'app.config.location': 'optional:file:./sample/',
  'app.config.additional-location': 'optional:file:./sample/',
  'app.config.import': 'optional:file:./sample.yml',
  'app.datasource.driver-class-name': 'org.sqlite.JDBC',
  'app.security.seal.keys.sample': SEAL_KEY,
  'app.security.webhook.secret': SEAL_KEY,
  'app.security.webhook.other-secret': SEAL_KEY,
  // Longer than the defaults they have to fit.
  'app.security.mfa.lock.max-duration': '2h',
  'app.security.refresh.absolute': '100d',
  'app.security.session.absolute': '13h',
};

export function sampleOf({ name, type }: Pick<Example, 'name' | 'type'>): string {
  const given = SAMPLES[name];
  if (given !== undefined) return given;
  const scalar = type.shape === 'list' ? type.element : type;
  const unset = defaultOf(name);
  const words = /^one of (.*)$/.exec(scalar.expects)?.[1]?.split(', ') ?? [];
  const sample = [...words, ...TEXTS].find((text) => {
    const value = scalar.parse(text);
    return !(value instanceof ConversionProblem) && scalar.format(value) !== unset;
  });
  if (sample === undefined) throw new TypeError(`no sample fits ${name}`);
  return sample;
}

function defaultOf(name: string): string | undefined {
  return registry.definitions.find((definition) => definition.name === name)?.defaultText;
}

/** The bound value of a text according to the type alone. */
export function expectedOf({ type }: Example, text: string): unknown {
  const parsed = (scalar: ScalarType<unknown>, item: string): unknown => {
    const value = scalar.parse(item);
    if (value instanceof ConversionProblem) throw new TypeError(`${item}: ${value.reason}`);
    return value;
  };
  if (type.shape === 'scalar') return parsed(type, text);
  return text === '' ? [] : text.split(',').map((item) => parsed(type.element, item));
}

/** Reads with the class of the key and those that reading itself needs, which is faster than with all. */
export function readKey({ owner }: Example, situation: Situation): ConfigurationReading {
  return reading(situation, [...new Set([ConfigProperties, ProfilesProperties, owner])]);
}
