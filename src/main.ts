import { argv, exit, stderr, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';
import { refuseOldNode } from './boot/node-version.js';
import { ShutdownSignals } from './boot/shutdown-signals.js';

refuseOldNode('npm start');

const USAGE = `usage: node dist/main.js [-Dkey=value …] [--key=value …]

Starts the login service. Keys: docs/configuration.md, or node dist/cli.js config list.
`;

const { enableCompileCache, flushCompileCache } = await import('node:module');

// Compiled code is kept beside the code itself, which whoever can write there could change anyway; never in a shared
// folder for temporary files. Where the folder is read-only, nothing is kept.
enableCompileCache(fileURLToPath(new URL('./.compile-cache', import.meta.url)));

if (argv.includes('--help') || argv.includes('-h')) {
  stdout.write(USAGE);
  exit(0);
}

// A reader that went away, or a full disk behind it, must not take the service along. That Node has looked at its output
// once makes it wait for no reader: otherwise a write that waits for one would keep the process from its end.
for (const stream of [stdout, stderr]) stream.on('error', () => undefined);

// Before anything that takes time, so that a request to stop is always acknowledged.
const signals = new ShutdownSignals((line) => void stdout.write(`${line}\n`));
signals.listen();

// Loading modules makes garbage that would let the young generation grow to its most for good; requests make little.
const { setFlagsFromString } = await import('node:v8');
setFlagsFromString('--semi-space-growth-factor=1');
const { bootstrap } = await import('./boot/bootstrap.js');
const outcome = await bootstrap(signals);
setFlagsFromString('--semi-space-growth-factor=2');
if (outcome.kind === 'failed') {
  stderr.write(outcome.report);
  exit(1);
}
if (outcome.kind === 'stopped') {
  if (!outcome.isTold) stdout.write('Stopped\n');
  exit(0);
}
const { logs } = outcome;
// At once, so that the second startup is faster even if the first one ends early.
flushCompileCache();
const firstUser = await outcome.firstUser.catch((error: unknown) => {
  logs.loggers.get('start').warn('The first user could not be made', { error });
});
// Once and to the console only: no log file or log format contains a password.
if (firstUser !== undefined) logs.writeRaw(firstUser);
// Code that creating the first user has loaded.
flushCompileCache();
