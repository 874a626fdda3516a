import { execFile, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryFolder } from './temporary-folder.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const run = promisify(execFile);

/** False in a copy without the history of the repository. */
export function hasCommit(commit: string): boolean {
  return spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT }).status === 0;
}

/** Builds a commit of this repository, with the packages of its own lock file, and returns the folder. */
export async function buildOf(commit: string): Promise<string> {
  const folder = join(temporaryFolder('build'), 'service');
  await run('git', ['clone', '--quiet', '--no-checkout', '--shared', ROOT, folder]);
  await run('git', ['checkout', '--quiet', '--detach', commit], { cwd: folder });
  const packages = join(ROOT, 'node_modules');
  if (lockOf(folder) === lockOf(ROOT) && existsSync(packages)) {
    // A link would resolve to this folder, and then the other build would find its packages here.
    cpSync(packages, join(folder, 'node_modules'), { recursive: true, verbatimSymlinks: true });
  } else {
    await run('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: folder });
  }
  await run(process.execPath, ['tools/build.mjs'], { cwd: folder });
  return folder;
}

function lockOf(folder: string): string {
  return readFileSync(join(folder, 'package-lock.json'), 'utf8');
}
