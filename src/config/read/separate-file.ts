import { resolve } from 'node:path';
import { bind } from '../bind/binder.js';
import { checked, uncheckedDocuments } from './document.js';
import { Environment } from './environment.js';
import { decoded, kindOf, shortest, wholeFile } from './file-access.js';
import { KeyRegistry } from '../names/key-registry.js';
import type { Origin, Resource } from './origin.js';
import type { Filled } from './placeholder.js';
import { ConfigurationFailure, from, type Problem, problem } from '../problem.js';
import type { PropertiesClass } from '../bind/properties-class.js';
import { ConfigSource, type Entry } from './source.js';

/** A file with members of its own that a key names, such as that of the log. */
export interface SeparateFile {
  /** Relative to the working folder unless it starts with `/`. */
  readonly path: string;
  readonly workingFolder: string;
  /** The key that names the file, and its origin. */
  readonly key: string;
  readonly origin: Origin | undefined;
  /** Resolves the placeholders of the file. */
  readonly environment: Environment;
}

/** The content of a file with members of its own. */
export interface SeparateContent {
  readonly instances: ReadonlyMap<PropertiesClass, object>;
  /** The members, the last document first. */
  readonly entries: readonly Entry[];
}

/**
 * Reads YAML or JSON into the classes of its members; any other member is a problem.
 *
 * @throws ConfigurationFailure with all its problems at once, each with its place in the file
 */
export function readSeparateFile(
  classes: readonly PropertiesClass[],
  { path, workingFolder, key, origin, environment }: SeparateFile,
): SeparateContent {
  const whole = resolve(workingFolder, path);
  const resource: Resource = { kind: 'file', path: shortest(workingFolder, whole) };
  if (kindOf(whole) === 'nothing') {
    throw failed(
      `The file of ${key} does not exist`,
      `Create the file, or correct or remove ${key}.`,
      path,
      key,
      origin,
    );
  }
  const text = decoded(wholeFile(whole, resource, origin).bytes, resource, origin);
  if (text.trimStart().startsWith('<')) {
    throw failed(
      `The file of ${key} is XML, which is not supported`,
      'Write it in YAML or JSON: docs/how-to/operate/log-files.md has an example.',
      path,
      key,
      origin,
    );
  }
  const documents = uncheckedDocuments(text, 'yaml', resource, origin);
  const registry = new KeyRegistry(classes);
  const entries = documents.flat();
  if (entries[0] && !entries.some((entry) => isPossibleMember(entry, registry))) {
    // The report does not quote the file, which may contain passwords.
    throw failed(
      `The file of ${key} has no known member`,
      `Correct ${key}, or write members in the file: ${namesIn(registry)}.`,
      path,
      key,
      entries[0].origin,
    );
  }
  const sources = documents.map((document) => new ConfigSource('file', resource.path, checked(document)));
  const own = new SeparateEnvironment(sources.toReversed(), environment);
  const { instances, problems } = bind(own, registry);
  const all = [...problems, ...sources.flatMap((source) => unknownMembers(source, registry))];
  if (all.length > 0) throw new ConfigurationFailure(all);
  return { instances, entries: sources.toReversed().flatMap((source) => source.entries) };
}

/** True for a member, and for a name that may be a mistyped one. */
function isPossibleMember({ key, spelled }: Entry, registry: KeyRegistry): boolean {
  return registry.find(key) !== undefined || registry.below(key).length > 0 || registry.nearest(spelled) !== undefined;
}

function namesIn(registry: KeyRegistry): string {
  return registry.definitions.map(({ name }) => name).join(', ');
}

/** The values of the file alone; the whole configuration resolves their placeholders. */
class SeparateEnvironment extends Environment {
  constructor(
    sources: readonly ConfigSource[],
    private readonly outside: Environment,
  ) {
    super(sources);
  }

  override fill(text: string): Filled {
    return this.outside.fill(text);
  }
}

function unknownMembers({ entries }: ConfigSource, registry: KeyRegistry): readonly Problem[] {
  return entries
    .filter(({ key, text }) => !registry.find(key) && (text !== '' || registry.below(key).length === 0))
    .map(({ spelled, origin }) => {
      const near = registry.nearest(spelled);
      return problem(
        `The member ${spelled} is unknown`,
        near === undefined
          ? `Remove ${spelled}; the known members are ${namesIn(registry)}.`
          : `Did you mean ${near}? Correct or remove ${spelled}.`,
        { Property: spelled, Origin: from(origin) },
      );
    });
}

function failed(
  what: string,
  action: string,
  path: string,
  key: string,
  origin: Origin | undefined,
): ConfigurationFailure {
  return new ConfigurationFailure([problem(what, action, { Property: key, Value: `"${path}"`, Origin: from(origin) })]);
}
