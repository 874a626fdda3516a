import { stdout, stderr, versions, exit } from 'node:process';

const NEEDED = 24;

// Everything else is imported behind this check: older versions of Node would fail on an import, without a reason.
if (Number.parseInt(versions.node, 10) < NEEDED) {
  stderr.write(`This service needs Node ${NEEDED} or later; this is ${versions.node}. "npm start" brings its own.\n`);
  exit(1);
}

const { startService } = await import('./service.js');
const outcome = await startService();
if (outcome.kind === 'failed') {
  stderr.write(outcome.report);
  exit(1);
}
for (const warning of outcome.warnings) stderr.write(`WARN  ${warning}\n`);
for (const line of outcome.lines) stdout.write(`${line}\n`);
