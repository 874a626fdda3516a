import { KeyName } from './key-name.js';
import type { Origin } from './origin.js';
import { ConfigSource, type Entry } from './source.js';

/** The arguments of a process, told apart by form. */
export interface Arguments {
  /** `--key=value`; a key given twice collects its values with commas, as a list would want them. */
  readonly commandLine: ConfigSource;
  /** `-Dkey=value`; given twice, the last counts. */
  readonly systemProperties: ConfigSource;
  /** Everything else, in order. */
  readonly rest: readonly string[];
}

/** True for an argument that sets a key: all our keys have a dot in their name, options of commands have none. */
export function isConfigurationArgument(argument: string): boolean {
  return /^-D./.test(argument) || /^--[^=\s]*[.[][^=\s]*(?:=|$)/.test(argument);
}

/** Sorts the arguments behind the script's name; a bare `--flag` is the empty value (configuration.md b.1). */
export function readArguments(args: readonly string[]): Arguments {
  const options = new Map<string, string>();
  const definitions = new Map<string, string>();
  const rest: string[] = [];
  for (const argument of args) {
    if (/^-D./.test(argument)) {
      const [name, value] = split(argument.slice(2));
      definitions.set(name, value);
    } else if (/^--[^-=\s]/.test(argument)) {
      const [name, value] = split(argument.slice(2));
      const before = options.get(name);
      options.set(name, before === undefined ? value : `${before},${value}`);
    } else {
      rest.push(argument);
    }
  }
  return {
    commandLine: new ConfigSource('command-line', 'commandLineArgs', entriesOf(options, 'commandLineArgs')),
    systemProperties: new ConfigSource(
      'system-properties',
      'systemProperties',
      entriesOf(definitions, 'systemProperties'),
    ),
    rest,
  };
}

function split(argument: string): readonly [name: string, value: string] {
  const equals = argument.indexOf('=');
  return equals === -1 ? [argument, ''] : [argument.slice(0, equals), argument.slice(equals + 1)];
}

function entriesOf(
  values: ReadonlyMap<string, string>,
  source: Extract<Origin, { kind: 'argument' }>['source'],
): readonly Entry[] {
  return [...values].map(([name, text]) => ({
    key: KeyName.parse(name),
    spelled: name,
    text,
    origin: { kind: 'argument', source, name },
  }));
}
