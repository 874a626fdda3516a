// Starts the built service once in a temporary folder, so that it keeps its compiled code in dist/ (src/boot/code-cache.ts):
// from then on, also the first startup finds it, and startups from a read-only folder. The code belongs to the version of
// Node that runs this file. `npm run build` includes it; run `node tools/warm-up.mjs` if another Node runs the service.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

const LIMIT_MILLIS = 60_000;
/** The last line of a first startup. */
const LAST_LINE = 'First user: ';

const root = dirname(import.meta.dirname);

/** False if the service did not start; then startups take longer, and its report is on the standard error. */
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
    const [exitCode] = await once(child, 'close');
    clearTimeout(timer);
    return exitCode === 0;
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

if (import.meta.main && !(await warmUp())) process.exitCode = 1;
