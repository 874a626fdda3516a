/**
 * Runs a command for a test process and outlives it just long enough to clean up: when standard input ends, because the
 * test process ended in any way, it stops the command and removes the folder. `kept-process.ts` starts it hundreds of
 * times in a run; JavaScript starts in half the time of TypeScript.
 */
import { spawn } from 'node:child_process';
import { existsSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

const GRACE_MILLIS = 10_000;
const REMOVALS = 60;
const REMOVAL_PAUSE_MILLIS = 200;
/** The file descriptor that `kept-process.ts` reads. */
const REPORTS = 3;

const [folder = '', command = '', ...args] = process.argv.slice(2);
process.stdin.resume();

if (command === '') {
  process.stdin.once('close', () => void removeFolder());
} else {
  keep(spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] }));
}

function keep(child) {
  process.stdin.once('close', () => {
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), GRACE_MILLIS).unref();
  });
  child.once('spawn', () => {
    report({ pid: child.pid });
  });
  child.once('error', ({ message }) => {
    report({ failure: message });
    process.exit();
  });
  child.once('exit', (code, signal) => {
    void removeFolder().then(() => {
      report({ code, signal });
      process.exit();
    });
  });
}

function report(event) {
  try {
    writeSync(REPORTS, `${JSON.stringify(event)}\n`);
  } catch {
    // The test process is gone.
  }
}

/** Retries while another process still writes to the folder or removes parts of it. */
async function removeFolder() {
  for (let attempt = 1; folder !== '' && existsSync(folder) && attempt <= REMOVALS; attempt++) {
    if (attempt > 1) await pause(REMOVAL_PAUSE_MILLIS);
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}
