import { execPath, exit, stderr, versions } from 'node:process';

/** The oldest version that every dependency supports, as `engines` in package.json states. */
const NEEDED = [24, 11] as const;

/** Ends the process with one line on an older Node, on which later imports would fail without a reason. */
export function rejectOldNode(): void {
  const [major = 0, minor = 0] = versions.node.split('.').map(Number);
  if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) return;
  stderr.write(
    `This service needs Node ${NEEDED.join('.')} or later; this is ${versions.node} (${execPath}). In a clone, "npm ci" brings its own, which the scripts of npm use.\n`,
  );
  exit(1);
}
