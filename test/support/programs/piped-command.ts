import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { LoginStory } from '../login/login-story.js';

const CLI = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url));

/** Runs a command on the database of a story with `input` from a pipe. */
export function piped(
  story: LoginStory,
  args: readonly string[],
  input: string,
): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve) => {
    // Node itself would pass a socket, not a pipe.
    const command = ['-c', 'cat | "$0" "$@"', process.execPath, CLI, ...args, ...story.database.args];
    const child = execFile('/bin/sh', command, { cwd: story.cwd }, (error, stdout, stderr) => {
      resolve({
        code: error === null ? 0 : Number(error.code),
        output: stdout + stderr.replace(/^Database: .*\n/, ''),
      });
    });
    child.stdin?.end(input);
  });
}
