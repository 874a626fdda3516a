import { refuseOldNode } from './node-version.js';

refuseOldNode('npm run cli');

const { runCommand } = await import('./command-line.js');
// A module that could not start leaves the connections of those before it open.
process.exit(await runCommand());
