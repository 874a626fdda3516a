import { KeyName, variableForms } from '../names/key-name.js';
import type { KeyRegistry } from '../names/key-registry.js';
import { ConversionProblem } from '../problem.js';
import { ConfigSource, type Entry } from './source.js';

export type Variables = Readonly<Record<string, string | undefined>>;

/** Spring Boot reads a whole document from this variable; here it only causes a warning. */
export const INLINE_JSON = 'APP_APPLICATION_JSON';

/**
 * The environment as a source: every variable that spells a registered key is that key, any other one is the key its
 * name reads as (`MY_REGION` is `my.region`), so that placeholders find it.
 */
export function readVariables(variables: Variables, registry: KeyRegistry): ConfigSource {
  const preferred: Entry[] = [];
  const others: Entry[] = [];
  for (const [name, text] of Object.entries(variables)) {
    if (text === undefined) continue;
    const known = registry.keyOfVariable(name) ?? (name === 'TZ' ? processZone(text, registry) : undefined);
    const key = known ?? foreignKey(name, registry);
    // The variable without dashes wins over the one with underscores for the same key.
    const isPreferred = known && variableForms(String(known))[0] === name;
    (isPreferred ? preferred : others).push({ key, spelled: name, text, origin: { kind: 'variable', name } });
  }
  return new ConfigSource('environment', 'systemEnvironment', [...preferred, ...others]);
}

/** `TZ` is the default of `user.timezone`; a rule reports a text that is not the name of a zone, such as a POSIX rule. */
function processZone(text: string, registry: KeyRegistry): KeyName | undefined {
  const definition = registry.find(KeyName.parse('user.timezone'));
  if (definition?.type.shape !== 'scalar') return undefined;
  return definition.type.parse(text) instanceof ConversionProblem ? undefined : definition.key;
}

/** `SERVER__PORT` parses like `server.port` but is not one of its forms, so only its exact text names it. */
function foreignKey(name: string, registry: KeyRegistry): KeyName {
  const key = keyReadFrom(name);
  return registry.find(key) ? KeyName.parse(`[${name}]`) : key;
}

/** The key that the name of an unregistered variable is parsed as: `MY_REGION` is `my.region`. */
export function keyReadFrom(name: string): KeyName {
  return KeyName.parse(name.toLowerCase().replaceAll('_', '.'));
}
