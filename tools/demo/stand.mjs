import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Complaint } from './complaint.mjs';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const START_LIMIT_MILLIS = 30_000;

/** Starts a service with more arguments in a temporary folder; the end of the demo, even by a failure, removes both. */
export async function startedService(more = []) {
  if (!existsSync(MAIN)) throw new Complaint('dist/ does not exist: run "npm run build" first.');
  const folder = mkdtempSync(join(tmpdir(), 'login-demo-'));
  const child = spawn(process.execPath, [MAIN, '--server.port=0', '--server.address=127.0.0.1', ...more], {
    cwd: folder,
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const clean = () => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  process.on('exit', clean);
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
  const url = await new Promise((resolve, reject) => {
    const fail = (reason) => reject(new Complaint(`${reason}\n${errors}`));
    const timer = setTimeout(() => fail('The service did not get ready in time.'), START_LIMIT_MILLIS);
    child.on('error', (error) => fail(`The service cannot be started: ${error.message}`));
    child.on('exit', (code) => fail(`The service ended with ${code} instead of getting ready.`));
    createInterface(child.stdout).on('line', (line) => {
      const found = /ready: (http\S+)/.exec(line)?.[1];
      if (found === undefined) return;
      clearTimeout(timer);
      resolve(found);
    });
  });
  return {
    url,
    folder,
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

/** Runs a command in the working folder of the service and returns its output. */
export async function runCli(words, { folder, input = '' }) {
  if (!existsSync(CLI)) throw new Complaint('dist/ does not exist: run "npm run build" first.');
  const child = spawn(process.execPath, [CLI, ...words], { cwd: folder, stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  // Log lines after a success, the error message otherwise.
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
  // A command that does not read its input may end before the input is written.
  child.stdin.on('error', () => undefined).end(input);
  const [code] = await once(child, 'close');
  if (code !== 0)
    throw new Complaint(`The command "users ${words[1]}" ended with ${code}:\n${(output + errors).trimEnd()}`);
  return output;
}
