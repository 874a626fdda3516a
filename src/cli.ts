import { exit, stderr, stdout, versions } from 'node:process';

const NEEDED = 24;

if (Number.parseInt(versions.node, 10) < NEEDED) {
  stderr.write(`This service needs Node ${NEEDED} or later; this is ${versions.node}. "npm run cli" brings its own.\n`);
  exit(1);
}

const { runCommand } = await import('./command-line.js');
process.exitCode = await runCommand();
