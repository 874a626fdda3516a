import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ConfigurationReading, readConfiguration } from '../../../src/config/configuration.js';
import type { PropertiesClass } from '../../../src/config/bind/properties-class.js';
import { viewOfKey } from '../../../src/apps/cli/config/config-view.js';
import { PROPERTIES } from '../../../src/apps/server/properties.js';
import { temporaryFolder } from '../../support/programs/temporary-folder.js';

/** The values that an operator has set, by source. */
export interface Situation {
  /** Files by their path in the working folder. */
  readonly files?: Readonly<Record<string, string>>;
  /** Files by their path in the package. */
  readonly packaged?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
}

/** Reads a situation with all keys of the service, as a start would. */
export function reading(situation: Situation, classes = PROPERTIES): ConfigurationReading {
  const folder = temporaryFolder('config');
  const [workingFolder, packageFolder] = [join(folder, 'work'), join(folder, 'package')];
  write(workingFolder, situation.files);
  write(packageFolder, situation.packaged);
  return readConfiguration(classes, {
    args: situation.args ?? [],
    variables: situation.variables ?? {},
    workingFolder,
    packageFolder,
  });
}

function write(folder: string, files: Readonly<Record<string, string>> = {}): void {
  mkdirSync(folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** The bound instance, of a situation without problems. */
export function bound<T extends object>(situation: Situation, type: PropertiesClass<T>): T {
  return instanceIn(withoutProblems(reading(situation)), type);
}

export function instanceIn<T extends object>({ instances }: ConfigurationReading, type: PropertiesClass<T>): T {
  const instance = instances.get(type);
  if (!(instance instanceof type)) throw new TypeError(`${type.name} was not bound`);
  return instance;
}

export function withoutProblems(read: ConfigurationReading): ConfigurationReading {
  if (read.problems.length > 0) throw new TypeError(JSON.stringify(read.problems, undefined, 2));
  return read;
}

/** The first lines of `config get`: the effective value and its origin. */
export function shownOf(read: ConfigurationReading, key: string): { readonly value: string; readonly origin: string } {
  const { lines } = viewOfKey(read.environment, read.registry, key);
  const value = /^\S+ = (.*)$/s.exec(lines[0] ?? '')?.[1] ?? '(nothing)';
  const origin = /^ {2}origin {6}(.*)$/.exec(lines[1] ?? '')?.[1] ?? '(nothing)';
  return { value, origin };
}
