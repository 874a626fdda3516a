import { refuseOldNode } from './node-version.js';

refuseOldNode('npm run cli');

const { runCommand } = await import('./command-line.js');
process.exitCode = await runCommand();
