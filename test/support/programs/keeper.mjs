/**
 * Cleans up after a test process. Each line of standard input is JSON: a process or a folder to `keep`, or to `release`
 * because it is gone. When standard input ends, because the test process ended in any way, the keeper stops the kept
 * processes and removes the kept folders.
 */
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

const GRACE_MILLIS = 10_000;
const CHECK_PAUSE_MILLIS = 50;
/** With growing pauses, 14 seconds: another process may still write to the folder. */
const REMOVAL = { recursive: true, force: true, maxRetries: 16 };

/** Process ids (numbers) and folders (strings). */
const kept = new Set();
for await (const line of createInterface(process.stdin)) {
  const { keep, release } = JSON.parse(line);
  if (keep === undefined) kept.delete(release);
  else kept.add(keep);
}
await endAll([...kept].filter((entry) => typeof entry === 'number'));
await Promise.all([...kept].filter((entry) => typeof entry === 'string').map((folder) => rm(folder, REMOVAL)));

async function endAll(pids) {
  const killAt = performance.now() + GRACE_MILLIS;
  let running = pids.filter((pid) => signal(pid, 'SIGTERM'));
  while (running.length > 0 && performance.now() < killAt) {
    await pause(CHECK_PAUSE_MILLIS);
    running = running.filter((pid) => signal(pid, 0));
  }
  for (const pid of running) signal(pid, 'SIGKILL');
}

/** Returns false if the process is gone. */
function signal(pid, name) {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
