import { availableParallelism, release, type as osName, userInfo } from 'node:os';
import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import type { Configuration } from '../../config/configuration.js';
import type { Inspection } from '../../config/show/inspection.js';
import { KeyName } from '../../config/names/key-name.js';
import { statesOf } from '../../config/bind/key-state.js';
import { emptyTree, isTree, setPath, type Tree } from '../tree.js';
import type { BuildInfo } from './build-info.js';

/** All keys below `info.`, without that prefix; secrets stay masked. */
export function infoKeys({ environment, registry }: Configuration, inspection: Inspection): Readonly<Tree> {
  const tree = emptyTree();
  const definition = registry.find(KeyName.parse('info.any'));
  for (const state of definition ? statesOf(environment, definition, registry) : []) {
    setPath(tree, pathOf(state.name.slice('info'.length)), inspection.effectiveValue(state));
  }
  return Object.fromEntries(Object.entries(tree).map(([name, value]) => [name, withLists(value)]));
}

/** Splits `.app.name` into `app` and `name`; text in brackets is one name. */
function pathOf(name: string): readonly string[] {
  return Array.from(name.matchAll(/\[([^\]]*)\]|([^.[]+)/g), ([, exact, plain]) => exact ?? plain ?? '');
}

/** Converts objects with consecutive names from 0 back to lists. */
function withLists(value: unknown): unknown {
  if (!isTree(value)) return value;
  const entries = Object.entries(value).map(([name, below]) => [name, withLists(below)] as const);
  const isList = entries.every(([name], index) => name === String(index));
  return isList ? entries.map(([, below]) => below) : Object.fromEntries(entries);
}

/** Data of the commit from the build; mode `simple` keeps branch, abbreviated id and time. */
export function gitInfo(git: NonNullable<BuildInfo['git']>, mode: 'simple' | 'full'): object {
  if (mode === 'full') return git;
  const { branch, commit } = git;
  return withoutUndefined({ branch, commit: { id: commit.id.abbrev, time: commit.time } });
}

export function processInfo(): object {
  const owner = processOwner();
  return withoutUndefined({ pid: process.pid, parentPid: process.ppid, owner, cpus: availableParallelism() });
}

/** Undefined in a container whose user id has no name. */
function processOwner(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

export function osInfo(): object {
  return { name: osName(), version: release(), arch: process.arch };
}

export function runtimeInfo(): object {
  return { name: 'node', version: process.versions.node };
}
