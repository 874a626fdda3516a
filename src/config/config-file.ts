import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { type Document, type Format, readDocuments } from './document.js';
import { KeyName } from './key-name.js';
import type { Location } from './location.js';
import { from, ConfigurationFailure, problem } from './problem.js';
import { type Origin, type Resource, resourceText } from './origin.js';
import type { Variables } from './variables.js';

/** Where `file:`, `classpath:` and `env:` lead to. */
export interface Surroundings {
  readonly workingFolder: string;
  /** The class path: the folder of the files that are part of the package. */
  readonly packageFolder: string;
  readonly variables: Variables;
}

/** Lowest first: of two files with one name in one folder, `.properties` wins. */
const EXTENSIONS: readonly (readonly [extension: string, format: Format])[] = [
  ['.yaml', 'yaml'],
  ['.yml', 'yaml'],
  ['.properties', 'properties'],
];

/** Something one location may lead to: a file to read, found or not. */
export interface Candidate {
  readonly resource: Resource;
  /** Identity: each is read once, whoever asks. */
  readonly id: string;
  /** Undefined when it does not exist. */
  read(parent: Origin | undefined): readonly Document[] | undefined;
}

/** The files behind a location, lowest first; `profile` asks for the variants of that profile. */
export function candidatesOf(
  location: Location,
  names: readonly string[],
  profile: string | undefined,
  surroundings: Surroundings,
): readonly Candidate[] {
  if (location.scheme === 'configtree') {
    return profile === undefined ? configTrees(location, surroundings) : [];
  }
  if (location.scheme === 'env') return profile === undefined ? [documentOfVariable(location, surroundings)] : [];
  return placesOf(location, surroundings).flatMap((place) =>
    isFolder(place.path)
      ? names.flatMap((name) =>
          EXTENSIONS.map(([extension, format]) =>
            fileCandidate(place.kind, join(place.path, name + suffix(profile) + extension), format, surroundings),
          ),
        )
      : [singleFile(place, profile, location, surroundings)],
  );
}

/** True when a location that must exist does: a folder may be empty, a file must be there. */
export function exists(location: Location, surroundings: Surroundings): boolean {
  if (location.scheme === 'env') return surroundings.variables[withoutHint(location.path).path] !== undefined;
  if (location.scheme === 'configtree') return foldersOf(join(fileBase(location, surroundings), location.path)).length > 0;
  return placesOf(location, surroundings).some(({ path }) => kindOf(withoutHint(path).path) !== 'nothing');
}

interface Place {
  readonly kind: 'file' | 'classpath';
  /** Absolute; a folder ends in a separator. */
  readonly path: string;
}

function placesOf(location: Location, surroundings: Surroundings): readonly Place[] {
  const { scheme, path } = location;
  const declaredIn = location.origin?.kind === 'position' ? location.origin.resource : undefined;
  const kind = scheme === 'classpath' || (scheme === 'relative' && declaredIn?.kind === 'classpath') ? 'classpath' : 'file';
  const base =
    kind === 'classpath' ? surroundings.packageFolder : fileBase(location, surroundings);
  const inside = kind === 'classpath' ? path.replace(/^\/+/, '') : path;
  if (scheme === 'relative' && kind === 'classpath' && declaredIn && !path.startsWith('/')) {
    return [{ kind, path: absolute(join(base, dirname(declaredIn.path)), inside) }];
  }
  const whole = absolute(base, inside);
  return whole.includes(`*${sep}`) ? foldersOf(whole).map((folder) => ({ kind, path: folder })) : [{ kind, path: whole }];
}

/** A path in an import without scheme starts at the file that imports it, everything else at the working folder. */
function fileBase({ scheme, origin }: Location, { workingFolder }: Surroundings): string {
  if (scheme !== 'relative' || origin?.kind !== 'position' || origin.resource.kind !== 'file') return workingFolder;
  return dirname(resolve(workingFolder, origin.resource.path));
}

function absolute(base: string, path: string): string {
  const whole = isAbsolute(path) ? resolve(path) : resolve(base, path);
  return isFolder(path) || path === '' || path === '.' || path.endsWith('/.') ? whole + (whole.endsWith(sep) ? '' : sep) : whole;
}

/** Fills the one wildcard a location may have, as the last folder: matching folders sorted by path. */
function foldersOf(pattern: string): readonly string[] {
  const at = pattern.indexOf(`*${sep}`);
  const folder = pattern.endsWith(sep) ? pattern : pattern + sep;
  if (at === -1) return kindOf(folder) === 'folder' ? [folder] : [];
  const parent = pattern.slice(0, at);
  if (kindOf(parent) !== 'folder') return [];
  return readdirSync(parent, { withFileTypes: true })
    .filter((item) => !item.name.startsWith('..') && kindOf(join(parent, item.name)) === 'folder')
    .map((item) => join(parent, item.name) + sep)
    .sort()
    .map((match) => match + pattern.slice(at + 2));
}

function singleFile(place: Place, profile: string | undefined, location: Location, at: Surroundings): Candidate {
  const { path, hint } = withoutHint(place.path);
  const extension = EXTENSIONS.find(([known]) => path.endsWith(known));
  const format = hint ?? extension?.[1];
  if (!format) {
    throw new ConfigurationFailure([
      problem(
        `The type of ${location.text} is unknown`,
        'Name a file that ends in .yml, .yaml or .properties, a folder that ends in "/", or give the type in brackets: conf[.yaml].',
        { Origin: from(location.origin) },
      ),
    ]);
  }
  const stem = hint || !extension ? path : path.slice(0, -extension[0].length);
  return fileCandidate(place.kind, stem + suffix(profile) + (hint ? '' : (extension?.[0] ?? '')), format, at);
}

/** `conf[.yaml]`: a file without extension and what it holds. */
function withoutHint(path: string): { readonly path: string; readonly hint: Format | undefined } {
  const hinted = /^(.*)\[(\.[a-z]+)\]$/s.exec(path);
  const known = hinted && EXTENSIONS.find(([extension]) => extension === hinted[2]);
  return known ? { path: hinted[1] ?? path, hint: known[1] } : { path, hint: undefined };
}

function fileCandidate(kind: Place['kind'], path: string, format: Format, surroundings: Surroundings): Candidate {
  const base = kind === 'classpath' ? surroundings.packageFolder : surroundings.workingFolder;
  const resource = { kind, path: shortest(base, path) };
  return {
    resource,
    id: path,
    read: (parent) => {
      const text = readText(path, resource, parent);
      return text === undefined ? undefined : readDocuments(text, format, resource, parent);
    },
  };
}

function readText(path: string, resource: Resource, parent: Origin | undefined): string | undefined {
  if (kindOf(path) === 'nothing') return undefined;
  try {
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (cause) {
    throw new ConfigurationFailure([
      problem(`${resourceText(resource)} cannot be read`, 'Check that it is a file and that this user may read it.', {
        Origin: from(parent),
        Reason: (cause as NodeJS.ErrnoException).code ?? String(cause),
      }),
    ]);
  }
}

/** One key per file below a folder, the path as its name, the text without its last line break as its value. */
function configTrees(location: Location, surroundings: Surroundings): readonly Candidate[] {
  const folders = foldersOf(absolute(fileBase(location, surroundings), location.path));
  return folders.map((folder) => {
    const resource: Resource = { kind: 'file', path: shortest(surroundings.workingFolder, folder) };
    return {
      resource,
      id: folder,
      read: (parent) => [
        filesBelow(folder).map((path) => {
          const name = relative(folder, path).split(sep).join('.');
          const file: Resource = { kind: 'file', path: shortest(surroundings.workingFolder, path) };
          return {
            key: KeyName.parse(name),
            spelled: name,
            text: (readText(path, file, parent) ?? '').replace(/\r?\n$/, ''),
            origin: { kind: 'position', resource: file, line: 1, column: 1, ...(parent && { parent }) },
          };
        }),
      ],
    };
  });
}

/** Files at any depth, links followed, sorted; names that start with two dots are how mounted secrets are swapped. */
function filesBelow(folder: string, depth = 0): readonly string[] {
  if (depth > 20) return [];
  return readdirSync(folder)
    .filter((name) => !name.startsWith('..'))
    .sort()
    .flatMap((name) => {
      const path = join(folder, name);
      return kindOf(path) === 'folder' ? filesBelow(path, depth + 1) : [path];
    });
}

/** A whole document in one environment variable, `.properties` unless a hint says otherwise. */
function documentOfVariable(location: Location, { variables }: Surroundings): Candidate {
  const { path: name, hint } = withoutHint(location.path);
  const resource: Resource = { kind: 'variable', path: name };
  return {
    resource,
    id: `env:${name}`,
    read: (parent) => {
      const text = variables[name];
      return text === undefined ? undefined : readDocuments(text, hint ?? 'properties', resource, parent);
    },
  };
}

function suffix(profile: string | undefined): string {
  return profile === undefined ? '' : `-${profile}`;
}

function isFolder(path: string): boolean {
  return path.endsWith('/') || path.endsWith(sep);
}

function kindOf(path: string): 'file' | 'folder' | 'nothing' {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) return 'nothing';
    return found.isDirectory() ? 'folder' : 'file';
  } catch (cause) {
    // Something is there that may not be looked at: reading it says what is wrong.
    return (cause as NodeJS.ErrnoException).code === 'ENOTDIR' ? 'nothing' : 'file';
  }
}

/** Relative to the base where the file lies below it, else absolute. */
function shortest(base: string, path: string): string {
  const inside = relative(base, path);
  return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? path : inside;
}
