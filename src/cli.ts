import { fileURLToPath } from 'node:url';
import { refuseOldNode } from './node-version.js';

refuseOldNode('npm run cli');

const { enableCompileCache } = await import('node:module');
// As the service does: see main.ts.
enableCompileCache(fileURLToPath(new URL('./.compile-cache', import.meta.url)));

const { runCommand } = await import('./command-line.js');
// A module that could not start leaves the connections of those before it open.
process.exit(await runCommand());
