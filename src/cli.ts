import { fileURLToPath } from 'node:url';
import { refuseOldNode } from './boot/node-version.js';

refuseOldNode('npm run cli');

const { enableCompileCache } = await import('node:module');
// As the service does: see main.ts.
enableCompileCache(fileURLToPath(new URL('./.compile-cache', import.meta.url)));

const { runCommand } = await import('./cli/command-line.js');
const exitCode = await runCommand();
// The end of the process would drop what a full pipe has not taken yet.
await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((done) => stream.write('', done))));
// A module that could not start leaves the connections of those before it open.
process.exit(exitCode);
