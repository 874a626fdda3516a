import { exit, stderr, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';
import { refuseOldNode } from './node-version.js';

refuseOldNode('npm start');

const { enableCompileCache, flushCompileCache } = await import('node:module');

// Compiled code is kept beside the code itself, which whoever can write there could change anyway; never in a shared
// folder for temporary files. Where the folder is read-only, nothing is kept.
enableCompileCache(fileURLToPath(new URL('./.compile-cache', import.meta.url)));

const { startService } = await import('./service.js');
const outcome = await startService();
if (outcome.kind === 'failed') {
  stderr.write(outcome.report);
  exit(1);
}
for (const warning of outcome.warnings) stderr.write(`WARN  ${warning}\n`);
for (const line of outcome.lines) stdout.write(`${line}\n`);
flushCompileCache();
