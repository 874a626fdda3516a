// Runs the tests while one busy thread for each core competes with them, as on a machine that does other things. Arguments
// go to Vitest and narrow the run down. The threads end with this process, however it ends.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';

const root = dirname(import.meta.dirname);
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const cores = availableParallelism();

for (let core = 0; core < cores; core += 1) new Worker('for (;;);', { eval: true });
const tests = spawn(process.execPath, [vitest, 'run', ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => tests.kill(signal));
console.log(`${cores} busy threads compete with the tests.`);
const [code] = await once(tests, 'exit');
process.exit(code ?? 1);
