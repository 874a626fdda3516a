import { fileURLToPath } from 'node:url';
import { rejectOldNode } from './apps/server/node-version.js';
import { removeDebugVariable } from './config/read/debug-variable.js';

rejectOldNode();
removeDebugVariable();
// By default, the signal opens Node's inspector, and with it the memory of the process to every user of the machine.
process.on('SIGUSR1', () => undefined);

const { enableCompileCache } = await import('node:module');
// The same cache as in main.ts.
enableCompileCache(fileURLToPath(new URL('./.compile-cache', import.meta.url)));

const { runCommand } = await import('./apps/cli/command-line.js');
const exitCode = await runCommand();
// Exiting would drop output that a full pipe has not accepted yet.
await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((done) => stream.write('', done))));
// A module that failed to start leaves the connections of other modules open.
process.exit(exitCode);
