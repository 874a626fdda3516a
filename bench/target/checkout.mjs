import { execFile } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const run = promisify(execFile);

/** The full id of a commit of this repository; undefined if there is none of that name. */
export async function commitId(name) {
  try {
    const { stdout } = await run('git', ['rev-parse', '--verify', '--end-of-options', `${name}^{commit}`], {
      cwd: ROOT,
    });
    return stdout.trim();
  } catch {
    return undefined;
  }
}

/** Builds a commit of this repository in `folder`, with the packages of its own lock file. Returns `folder`. */
export async function builtCheckout(id, folder) {
  await run('git', ['clone', '--quiet', '--no-checkout', '--shared', ROOT, folder]);
  await run('git', ['checkout', '--quiet', '--detach', id], { cwd: folder });
  if (isSame('package-lock.json', folder) && existsSync(join(ROOT, 'node_modules'))) {
    // A link would resolve to this folder, and then the other build would find its packages here.
    cpSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), { recursive: true, verbatimSymlinks: true });
  } else {
    await run('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: folder });
  }
  await run('npm', ['run', 'build'], { cwd: folder });
  return folder;
}

function isSame(file, folder) {
  return readFileSync(join(ROOT, file), 'utf8') === readFileSync(join(folder, file), 'utf8');
}
