// Starts the built service once in a temporary folder, so that it keeps its compiled code in dist/ (src/apps/server/code-cache.ts):
// then the first startup finds it, and so do startups from a read-only folder. The code belongs to the version of Node that
// runs this file. `npm run build` includes it; run `node tools/warm-up.mjs` if another Node runs the service.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

const LIMIT_MILLIS = 60_000;
/** The last line of a first startup. */
const LAST_LINE = 'First user: ';

const root = dirname(import.meta.dirname);

/** False if there is no compiled code afterwards; then startups take longer. */
export async function warmUp() {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const options = scripts.start.split(' ').filter((word) => word.startsWith('--'));
  const args = [...options, join(root, 'dist/main.js'), '--server.port=0', '--server.address=127.0.0.1'];
  const cwd = mkdtempSync(join(tmpdir(), 'warm-up-'));
  try {
    // No variable of the environment configures this startup.
    const child = spawn(process.execPath, args, { cwd, env: {}, stdio: ['ignore', 'pipe', 'inherit'] });
    const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MILLIS);
    createInterface(child.stdout).on('line', (line) => {
      if (line.startsWith(LAST_LINE)) child.kill('SIGTERM');
    });
    await once(child, 'close');
    clearTimeout(timer);
    return globSync(`dist/bundle/*.${process.version}-${process.arch}.code`, { cwd: root }).length > 0;
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename && !(await warmUp())) {
  console.error('No compiled code could be kept in dist/bundle/: startups take longer.');
  process.exitCode = 1;
}
