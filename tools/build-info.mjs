// Writes the build facts of the info endpoint, from package.json, the clock and the Git working copy. Without Git, or in an
// unpacked archive, the commit is omitted.
import { spawnSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

export function buildInfo(root) {
  const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const git = gitInfo(root);
  return { build: { artifact: name, name, version, time: buildTime() }, ...(git && { git }) };
}

/** SOURCE_DATE_EPOCH, in seconds, makes two builds of one commit identical. */
function buildTime() {
  const epoch = process.env.SOURCE_DATE_EPOCH;
  return instant(epoch === undefined || epoch === '' ? Math.floor(Date.now() / 1000) * 1000 : Number(epoch) * 1000);
}

function gitInfo(root) {
  const git = (...args) => {
    const { status, stdout } = spawnSync('git', ['-C', root, ...args], { encoding: 'utf8' });
    return status === 0 ? stdout.trim() : undefined;
  };
  const top = git('rev-parse', '--show-toplevel');
  // An archive that is unpacked inside of another working copy does not belong to its commits.
  if (top === undefined || realpathSync(top) !== realpathSync(root)) return undefined;
  const commit = git('log', '-1', '--format=%H%n%h%n%ct%n%s');
  if (commit === undefined) return undefined;
  const [full, abbrev, seconds, short = ''] = commit.split('\n');
  const branch = git('symbolic-ref', '--short', '-q', 'HEAD');
  return {
    ...(branch && { branch }),
    commit: { id: { abbrev, full }, time: instant(Number(seconds) * 1000), message: { short } },
    dirty: git('status', '--porcelain', '--untracked-files=no') !== '',
  };
}

function instant(millis) {
  return new Date(millis).toISOString().replace('.000Z', 'Z');
}
