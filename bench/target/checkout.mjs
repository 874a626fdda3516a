import { execFile } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Builds a commit of this repository in `folder`, with the packages of its own lock file. Returns `folder`. */
export async function builtCheckout(commit, folder) {
  const run = promisify(execFile);
  const { stdout } = await run('git', ['rev-parse', '--verify', '--end-of-options', `${commit}^{commit}`], {
    cwd: ROOT,
  });
  await run('git', ['clone', '--quiet', '--no-checkout', '--shared', ROOT, folder]);
  await run('git', ['checkout', '--quiet', '--detach', stdout.trim()], { cwd: folder });
  if (isSame('package-lock.json', folder) && existsSync(join(ROOT, 'node_modules'))) {
    // A link would resolve to this folder, and then the other build would find its packages here.
    cpSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), { recursive: true, verbatimSymlinks: true });
  } else {
    await run('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: folder });
  }
  await run(process.execPath, ['tools/build.mjs'], { cwd: folder });
  return folder;
}

function isSame(file, folder) {
  return readFileSync(join(ROOT, file), 'utf8') === readFileSync(join(folder, file), 'utf8');
}
