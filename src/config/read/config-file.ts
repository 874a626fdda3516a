import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { checked, type Document, type DocumentFormat, readDocuments } from './document.js';
import { decoded, isFolder, kindOf, namesIn, shortest, wholeFile } from './file-access.js';
import { KeyName } from '../names/key-name.js';
import type { Location } from './location.js';
import { type Origin, positionIn, type Resource } from './origin.js';
import { ConfigurationFailure, from, problem } from '../problem.js';
import type { Entry } from './source.js';
import type { Variables } from './variables.js';

/** The folders and variables that `file:`, `classpath:` and `env:` refer to. */
export interface ConfigContext {
  readonly workingFolder: string;
  /** The class path: the folder of the files that are part of the package. */
  readonly packageFolder: string;
  readonly variables: Variables;
}

/** Types of files by their extension, lowest first: of two files with one name in one folder, `.properties` wins. */
const EXTENSIONS: readonly (readonly [extension: string, format: DocumentFormat])[] = [
  ['.yaml', 'yaml'],
  ['.yml', 'yaml'],
  ['.properties', 'properties'],
];

const ANY_FOLDER = '*/';

/** A file that a location may select, whether or not it exists. */
export interface Candidate {
  readonly resource: Resource;
  /** Identity of the file, which is read only once. */
  readonly id: string;
  exists(): boolean;
  read(parent: Origin | undefined): readonly Document[];
}

/** Lists the files of a location, lowest first; with `profile`, the variants for that profile. */
export function candidatesOf(
  location: Location,
  names: readonly string[],
  profile: string | undefined,
  context: ConfigContext,
): readonly Candidate[] {
  if (location.scheme === 'configtree') return profile === undefined ? configTrees(location, context) : [];
  if (location.scheme === 'env') return profile === undefined ? [documentOfVariable(location, context)] : [];
  const { kind, paths } = filePathsOf(location, context);
  const folders = paths.filter(isFolder);
  // The type of a file ranks above the order of the folders.
  const usual = names.flatMap((name) =>
    EXTENSIONS.flatMap(([extension, format]) =>
      folders.map((folder) => fileCandidate(kind, join(folder, name + suffix(profile) + extension), format, context)),
    ),
  );
  const named = paths.filter((path) => !isFolder(path));
  return [...usual, ...named.map((path) => singleFile(kind, path, profile, location, context))];
}

/** True when a location that must exist does: a folder may be empty, a file must be there. */
export function exists(location: Location, context: ConfigContext): boolean {
  if (location.scheme === 'env') return variable(withoutHint(location.path).path, context) !== undefined;
  if (location.scheme === 'configtree') return treesOf(location, context).length > 0;
  return filePathsOf(location, context).paths.some((path) => kindOf(withoutHint(path).path) !== 'nothing');
}

/** Profiles with a file in one of the default folders, as suggestions for a mistyped profile. */
export function profilesWithFiles(names: readonly string[], at: ConfigContext): readonly string[] {
  return [at.packageFolder, at.workingFolder, join(at.workingFolder, 'config')]
    .filter((folder) => kindOf(folder) === 'folder')
    .flatMap((folder) => namesIn(folder, undefined))
    .flatMap((file) => {
      const name = names.find((known) => file.startsWith(`${known}-`));
      const profile = name && /^(.+)\.(?:ya?ml|properties)$/.exec(file.slice(name.length + 1))?.[1];
      return profile ? [profile] : [];
    });
}

interface FilePaths {
  readonly kind: 'file' | 'classpath';
  /** Absolute; folders end in a separator. */
  readonly paths: readonly string[];
}

function filePathsOf(location: Location, context: ConfigContext): FilePaths {
  const { kind, folder } = baseOf(location, context);
  const path = location.scheme === 'classpath' ? location.path.replace(/^\/+/, '') : location.path;
  return { kind, paths: withoutWildcard(folder, path, location) };
}

/** A path in an import without scheme starts at the file that imports it, every other one at its scheme's folder. */
function baseOf({ scheme, path, origin }: Location, at: ConfigContext): { kind: FilePaths['kind']; folder: string } {
  if (scheme === 'classpath') return { kind: 'classpath', folder: at.packageFolder };
  const declaredIn = origin?.kind === 'position' ? origin.resource : undefined;
  if (scheme !== 'relative' || isAbsolute(path) || !declaredIn || declaredIn.kind === 'variable') {
    return { kind: 'file', folder: at.workingFolder };
  }
  const start = declaredIn.kind === 'classpath' ? at.packageFolder : at.workingFolder;
  return { kind: declaredIn.kind, folder: dirname(resolve(start, declaredIn.path)) };
}

function absolute(base: string, path: string): string {
  const whole = resolve(base, path);
  const meansFolder = isFolder(path) || path === '' || path === '.' || path.endsWith('/.');
  return meansFolder && !isFolder(whole) ? whole + sep : whole;
}

/** Fills the one wildcard a path may have, as its last folder: matching folders sorted by path. */
function withoutWildcard(base: string, path: string, { origin }: Location): readonly string[] {
  const at = path.indexOf(ANY_FOLDER);
  if (at === -1) return [absolute(base, path)];
  const parent = absolute(base, at === 0 ? '.' : path.slice(0, at));
  if (kindOf(parent) !== 'folder') return [];
  return namesIn(parent, origin)
    .map((name) => join(parent, name) + sep)
    .filter((folder) => kindOf(folder) === 'folder')
    .map((folder) => folder + path.slice(at + ANY_FOLDER.length));
}

function singleFile(
  kind: FilePaths['kind'],
  place: string,
  profile: string | undefined,
  location: Location,
  at: ConfigContext,
): Candidate {
  const { path, hint } = withoutHint(place);
  const extension = EXTENSIONS.find(([known]) => path.endsWith(known));
  const format = hint ?? extension?.[1];
  if (!format) {
    throw new ConfigurationFailure([
      problem(
        `The type of ${location.shown} is unknown`,
        'Name a file that ends in .yml, .yaml or .properties, a folder that ends in "/", or give the type in brackets: conf[.yaml].',
        { Origin: from(location.origin) },
      ),
    ]);
  }
  const ending = hint ? '' : (extension?.[0] ?? '');
  const stem = path.slice(0, path.length - ending.length);
  return fileCandidate(kind, stem + suffix(profile) + ending, format, at);
}

/** `conf[.yaml]`: a file without extension and its type. */
function withoutHint(path: string): { readonly path: string; readonly hint: DocumentFormat | undefined } {
  const hinted = /^(.*)\[(\.[a-z]+)\]$/s.exec(path);
  const known = hinted && EXTENSIONS.find(([extension]) => extension === hinted[2]);
  return known ? { path: hinted[1] ?? path, hint: known[1] } : { path, hint: undefined };
}

function fileCandidate(
  kind: FilePaths['kind'],
  path: string,
  format: DocumentFormat,
  context: ConfigContext,
): Candidate {
  const base = kind === 'classpath' ? context.packageFolder : context.workingFolder;
  const resource = { kind, path: shortest(base, path) };
  return {
    resource,
    id: path,
    exists: () => kindOf(path) !== 'nothing',
    read: (parent) => {
      const { bytes, access } = wholeFile(path, resource, parent);
      return readDocuments(decoded(bytes, resource, parent), format, { ...resource, access }, parent);
    },
  };
}

/** Reads one key per file below a folder: the path is its name, the text without its last line break its value. */
function configTrees(location: Location, context: ConfigContext): readonly Candidate[] {
  return treesOf(location, context).map((folder) => ({
    resource: { kind: 'file', path: shortest(context.workingFolder, folder) },
    id: folder,
    exists: () => filesBelow(folder, location.origin).length > 0,
    read: (parent) => {
      const entries = filesBelow(folder, parent).map((path): Entry => {
        const name = relative(folder, path).split(sep).join('.');
        const place: Resource = { kind: 'file', path: shortest(context.workingFolder, path) };
        const { bytes, access } = wholeFile(path, place, parent);
        const resource = { ...place, access };
        return {
          key: KeyName.parse(name),
          spelled: name,
          text: bytes
            .toString()
            .replace(/^\uFEFF/, '')
            .replace(/\r?\n$/, ''),
          origin: { ...positionIn(resource, 1, 1, parent), isWholeFile: true },
        };
      });
      return [checked(entries)];
    },
  }));
}

function treesOf(location: Location, { workingFolder }: ConfigContext): readonly string[] {
  const path = isFolder(location.path) ? location.path : `${location.path}/`;
  return withoutWildcard(workingFolder, path, location).filter((folder) => kindOf(folder) === 'folder');
}

/** Files at any depth, sorted; links are followed unless they form a cycle. */
function filesBelow(folder: string, parent: Origin | undefined, above: readonly string[] = []): readonly string[] {
  const real = realpathSync(folder);
  if (above.includes(real)) return [];
  return namesIn(folder, parent).flatMap((name) => {
    const path = join(folder, name);
    return kindOf(path) === 'folder' ? filesBelow(path, parent, [...above, real]) : [path];
  });
}

/** Reads a whole document from one environment variable, as `.properties` unless a type is given. */
function documentOfVariable(location: Location, context: ConfigContext): Candidate {
  const { path: name, hint } = withoutHint(location.path);
  const resource: Resource = { kind: 'variable', path: name };
  return {
    resource,
    id: `env:${name}`,
    exists: () => variable(name, context) !== undefined,
    read: (parent) => readDocuments(variable(name, context) ?? '', hint ?? 'properties', resource, parent),
  };
}

/** Ignores inherited members such as `constructor`. */
function variable(name: string, { variables }: ConfigContext): string | undefined {
  return Object.hasOwn(variables, name) ? variables[name] : undefined;
}

function suffix(profile: string | undefined): string {
  return profile === undefined ? '' : `-${profile}`;
}
