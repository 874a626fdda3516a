import { openSync } from 'node:fs';
import { argv, exit, stderr, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';
import { CodeCache } from './apps/server/code-cache.js';
import { rejectOldNode } from './apps/server/node-version.js';
import { ProcessSignals } from './apps/server/process-signals.js';
import { RuntimeOutput } from './apps/server/runtime-output.js';
import { removeDebugVariable } from './config/read/debug-variable.js';

rejectOldNode();
// Held open until the end, so that tools/build.mjs keeps this build, from which parts are loaded later.
openSync(import.meta.dirname, 'r');
const hadDebugVariable = removeDebugVariable();

// Before any slow step, so that a request to stop is always acknowledged.
const signals = new ProcessSignals((line) => void stdout.write(`${line}\n`));
signals.listen();

const USAGE = `usage: node ${argv[1]} [-Dkey=value …] [--key=value …]

Starts the login service. Keys: docs/reference/configuration, or node ${argv[1]?.replace(/[^/\\]*$/, 'cli.js')} config list.
`;

const { constants, enableCompileCache, flushCompileCache } = await import('node:module');

// Compiled code is cached beside the code itself, which has the same permissions; never in a shared folder for
// temporary files. In a read-only folder nothing is cached.
const { status } = enableCompileCache(fileURLToPath(new URL('./.compile-cache', import.meta.url)));

if (argv.includes('--help') || argv.includes('-h')) {
  stdout.write(USAGE);
  exit(0);
}

// A closed reader or a full disk behind the output must not end the service. The access also makes Node not wait for a
// reader; otherwise a blocked write would keep the process from exiting.
for (const stream of [stdout, stderr]) stream.on('error', () => undefined);

const output = new RuntimeOutput();
output.listen();

// Node applies source maps only to modules that it loads itself.
const isCached = status !== constants.compileCacheStatus.DISABLED && !process.sourceMapsEnabled;
// In a build, this import comes from the folder of the bundle.
const folder = fileURLToPath(new URL('.', import.meta.resolve('./apps/server/bootstrap.js')));
const code = isCached ? CodeCache.load(folder) : undefined;

// Loading modules creates garbage that would grow the young generation permanently; requests create little. Not earlier,
// since V8 accepts compiled code only with the flags with which it was compiled.
const { setFlagsFromString } = await import('node:v8');
setFlagsFromString('--semi-space-growth-factor=1');
const { bootstrap } = await import('./apps/server/bootstrap.js');
const outcome = await bootstrap(signals, output);
setFlagsFromString('--semi-space-growth-factor=2');
if (outcome.kind === 'failed') {
  output.setReporter((_, text) => void stderr.write(`${text}\n`));
  stderr.write(outcome.report);
  exit(1);
}
if (outcome.kind === 'stopped') {
  if (!outcome.isReported) stdout.write('Stopped\n');
  exit(0);
}
const { logs } = outcome;
if (hadDebugVariable) logs.start.warn('DEBUG has no effect: to see more, set logging.level');
// Immediately, so that the second startup is faster even if the first one ends early.
flushCompileCache();
const firstUser = await outcome.firstUser.catch((error: unknown) => {
  logs.start.warn('The initial administrator could not be created', { error });
});
// Printed once and to the console only: no log file or log format contains a password.
if (firstUser !== undefined) logs.writeRaw(firstUser);
// Includes the code that creating the first user has loaded.
flushCompileCache();
code?.save();
// Node would let the heap grow to up to four times the live objects before it collects the others, and it keeps the memory.
// Not earlier, since V8 accepts compiled code only with the flags with which it was kept.
setFlagsFromString('--heap-growing-percent=25');
// The young generation of threads that start from now on: a password worker creates little garbage, but fills what it may have.
setFlagsFromString('--max-semi-space-size=1');
