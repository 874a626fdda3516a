import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type ConfigurationInputs,
  type ConfigurationReading,
  readConfiguration,
} from '../../src/config/configuration.js';
import { KeyName } from '../../src/config/names/key-name.js';
import { originChain } from '../../src/config/read/origin.js';
import type { PropertiesClass } from '../../src/config/bind/properties-class.js';
import { evaluateAssignment } from '../../src/config/bind/evaluation.js';
import { type KeyState, statesOf } from '../../src/config/bind/key-state.js';
import { PROPERTIES } from '../../src/apps/server/properties.js';
import { temporaryFolder } from '../support/programs/temporary-folder.js';

/** Inputs of a process besides its files; folders default to those of the place. */
interface Inputs extends Partial<ConfigurationInputs> {
  readonly classes?: readonly PropertiesClass[];
}

/** A folder with `package/` (the class path) and `work/` (the working folder). */
export interface Place {
  readonly folder: string;
  readonly workingFolder: string;
  readonly packageFolder: string;
  /** Everything a process started here would read. */
  read(inputs?: Inputs): ConfigurationReading;
}

/** The fixture `test/config/<name>`. */
export function fixture(name: string): Place {
  return placeIn(fileURLToPath(new URL(`./${name}`, import.meta.url)));
}

/** A fresh place with these files: `{ 'work/application.yml': 'server.port: 1' }`. */
export function place(files: Readonly<Record<string, string | Uint8Array>> = {}): Place {
  const folder = temporaryFolder('config');
  for (const name of ['package', 'work']) mkdirSync(join(folder, name));
  for (const [name, content] of Object.entries(files)) write(join(folder, name), content);
  return placeIn(folder);
}

function placeIn(folder: string): Place {
  const workingFolder = join(folder, 'work');
  const packageFolder = join(folder, 'package');
  return {
    folder,
    workingFolder,
    packageFolder,
    read: ({ classes = PROPERTIES, ...inputs } = {}) =>
      readConfiguration(classes, { args: [], variables: {}, workingFolder, packageFolder, ...inputs }),
  };
}

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** A value as `config get` shows it, and its origin. */
export interface Shown {
  readonly value: string;
  readonly origin: string;
}

/** The values of a key in all sources, the effective one first; the key may be unregistered. */
export function everyAssignment({ environment, registry }: ConfigurationReading, key: string): readonly Shown[] {
  const name = KeyName.parse(key);
  const definition = registry.find(name);
  if (!definition) {
    return environment.occurrences(name).map(({ entry }) => {
      const filled = environment.fill(entry.text);
      return { value: filled.kind === 'filled' ? filled.text : entry.text, origin: originChain(entry.origin) };
    });
  }
  const isMeant = (state: KeyState): boolean => KeyName.parse(state.name).uniform === name.uniform;
  const state = statesOf(environment, definition, registry).find(isMeant);
  return (state?.assignments ?? []).map((assignment) => {
    const evaluation = evaluateAssignment(environment, state as KeyState, assignment);
    return {
      value: evaluation.kind === 'value' ? evaluation.shown : evaluation.kind,
      origin: originChain(assignment.origin),
    };
  });
}

/** The effective value; undefined if no source sets the key. */
export function effective(reading: ConfigurationReading, key: string): Shown | undefined {
  return everyAssignment(reading, key)[0];
}

/** The effective value as text. */
export function valueOf(reading: ConfigurationReading, key: string): string | undefined {
  return effective(reading, key)?.value;
}

/** A problem with its facts by label, as a report shows them. */
export interface ReportedProblem {
  readonly what: string;
  readonly action: string;
  readonly facts: Readonly<Record<string, string>>;
}

export function problemsOf({ problems }: ConfigurationReading): readonly ReportedProblem[] {
  return problems.map(({ what, action, facts }) => ({ what, action, facts: Object.fromEntries(facts) }));
}
