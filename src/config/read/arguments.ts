import { KeyName } from '../names/key-name.js';
import type { Origin } from './origin.js';
import { ConfigSource, type Entry } from './source.js';

/** The arguments of a process by their form. */
export interface Arguments {
  /** `--key=value`; the values of a key that is given twice, in any spelling, are joined by commas like a list. */
  readonly commandLine: ConfigSource;
  /** `-Dkey=value`; if given twice, the last one wins. */
  readonly systemProperties: ConfigSource;
  /** Everything else, in order. */
  readonly rest: readonly string[];
}

/** True for an argument that sets a key: all our keys have a dot in their name, options of commands have none. */
export function isConfigurationArgument(argument: string): boolean {
  return /^-D./.test(argument) || /^--[^=\s]*[.[][^=\s]*(?:=|$)/.test(argument);
}

/**
 * Sorts the arguments after the name of the script; a bare `--flag` has the empty value (configuration-sources.md,
 * "Precedence").
 */
export function readArguments(args: readonly string[]): Arguments {
  const options = new Map<string, Entry>();
  const definitions = new Map<string, Entry>();
  const rest: string[] = [];
  for (const argument of args) {
    if (/^-D./.test(argument)) {
      const entry = read(argument.slice(2), 'systemProperties');
      definitions.set(identity(entry), entry);
    } else if (/^--[^-=\s]/.test(argument)) {
      const entry = read(argument.slice(2), 'commandLineArgs');
      const before = options.get(identity(entry));
      options.set(identity(entry), before ? { ...before, text: `${before.text},${entry.text}` } : entry);
    } else {
      rest.push(argument);
    }
  }
  return {
    commandLine: new ConfigSource('command-line', 'commandLineArgs', [...options.values()]),
    systemProperties: new ConfigSource('system-properties', 'systemProperties', [...definitions.values()]),
    rest,
  };
}

function read(argument: string, source: Extract<Origin, { kind: 'argument' }>['source']): Entry {
  const equals = argument.indexOf('=');
  const name = equals === -1 ? argument : argument.slice(0, equals);
  const text = equals === -1 ? '' : argument.slice(equals + 1);
  return { key: KeyName.parse(name), spelled: name, text, origin: { kind: 'argument', source, name } };
}

/** Two spellings of one key are one argument given twice. */
function identity({ key, spelled }: Entry): string {
  return key.length === 0 ? spelled : key.uniform;
}
