import { enableCompileCache, flushCompileCache } from 'node:module';
import { exit, stderr, stdout, versions } from 'node:process';
import { fileURLToPath } from 'node:url';

const NEEDED = 24;

// Everything else is imported behind this check: older versions of Node would fail on an import, without a reason.
if (Number.parseInt(versions.node, 10) < NEEDED) {
  stderr.write(`This service needs Node ${NEEDED} or later; this is ${versions.node}. "npm start" brings its own.\n`);
  exit(1);
}

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
