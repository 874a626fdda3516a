// Each build has a folder of its own below builds/, and dist is a link to the newest: a running service loads some parts, and
// the worker for password hashes, only when it needs them, and these must come from the build that it started from.
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { pid } from 'node:process';

/** Points dist at a new, empty folder, and returns its path. Keeps the build before, and those that a running service uses. */
export function beginBuild(root) {
  const dist = join(root, 'dist');
  const builds = join(root, 'builds');
  const before = existsSync(dist) ? realpathSync(dist) : undefined;
  const folder = join(builds, `${new Date().toISOString().replaceAll(/[:.]/g, '-')}-${randomUUID().slice(0, 8)}`);
  mkdirSync(folder, { recursive: true });
  const link = `${dist}.${pid}`;
  symlinkSync(relative(root, folder), link);
  // An installation of an earlier version has a folder in its place, which a link cannot replace.
  if (lstatSync(dist, { throwIfNoEntry: false })?.isDirectory()) rmSync(dist, { recursive: true });
  renameSync(link, dist);
  const needed = new Set([folder, before, ...foldersInUse()]);
  for (const name of readdirSync(builds)) {
    const old = join(builds, name);
    if (!needed.has(old)) rmSync(old, { recursive: true, force: true });
  }
  return folder;
}

/** The folders that processes hold open, as src/main.ts holds that of its build; none on systems without /proc. */
function foldersInUse() {
  if (!existsSync('/proc/self/fd')) return [];
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return processes.flatMap((name) => linksIn(`/proc/${name}/fd`));
}

/** The targets of the links in a folder; none if it is gone, or belongs to a process of another user. */
function linksIn(folder) {
  try {
    return readdirSync(folder).map((name) => readlinkSync(join(folder, name)));
  } catch {
    return [];
  }
}
