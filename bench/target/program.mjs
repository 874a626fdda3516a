import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { clearInterval, setInterval } from 'node:timers';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const START_LIMIT_MILLIS = 60_000;
const STOP_LIMIT_MILLIS = 30_000;
const running = new Set();

// No started process outlives the bench.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

/** A program that prints the URL at which it is ready. */
export class Program {
  /** @param options.output a file for its output, if reading it must not cost processor time */
  static async start(args, { cwd, announces, output }) {
    const program = new Program(args, cwd, output);
    program.port = await program.#announced(announces, output);
    return program;
  }

  constructor(args, cwd, output) {
    this.child = spawn(process.execPath, args, {
      cwd,
      stdio: ['ignore', output === undefined ? 'pipe' : openSync(output, 'a'), 'pipe'],
      env: { PATH: process.env.PATH },
    });
    running.add(this.child);
    this.errors = '';
    this.child.stderr.setEncoding('utf8').on('data', (text) => (this.errors += text));
    this.ended = once(this.child, 'exit').finally(() => running.delete(this.child));
  }

  get pid() {
    return this.child.pid;
  }

  get address() {
    return { host: '127.0.0.1', port: this.port };
  }

  async stop() {
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), STOP_LIMIT_MILLIS);
    await this.ended;
    clearTimeout(timer);
  }

  #announced(pattern, output) {
    return new Promise((resolve, reject) => {
      const fail = (reason) => reject(new Error(`${reason}\n${this.errors}`));
      const timer = setTimeout(() => fail('the program did not get ready in time'), START_LIMIT_MILLIS);
      this.ended.then(() => fail('the program ended instead of getting ready'), reject);
      const look = (text) => {
        const port = pattern.exec(text)?.[1];
        if (port === undefined) return;
        clearTimeout(timer);
        clearInterval(reading);
        resolve(Number(port));
      };
      const reading = output === undefined ? undefined : setInterval(() => look(readFileSync(output, 'utf8')), 50);
      if (output === undefined) createInterface(this.child.stdout).on('line', look);
    });
  }
}

/** The folder of this package: the build to measure unless a bench names another. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Arguments for Node that start the service built in `root` as its `npm start` does, with `node` and before `settings`. */
export function serviceArguments({ root = ROOT, node = [], settings = [] } = {}) {
  return [...nodeOptions(root), ...node, join(root, 'dist/main.js'), '--server.address=127.0.0.1', ...settings];
}

function nodeOptions(root) {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return scripts.start.split(' ').filter((word) => word.startsWith('--'));
}

/** The options that `npm start` passes to Node. */
export const NODE_OPTIONS = nodeOptions(ROOT);

/** The built service on a free port; `settings` are configuration arguments, `node` arguments for Node itself. */
export function startService({ root, cwd, settings = [], node, output }) {
  const args = serviceArguments({ root, node, settings: ['--server.port=0', ...settings] });
  return Program.start(args, { cwd, announces: /ready: http:\/\/[^\s/]+:(\d+)\//, output });
}

/** Runs one command of the service's command line to its end. */
export async function runCli(args, { root = ROOT, cwd, settings = [] }) {
  try {
    const env = { PATH: process.env.PATH };
    await promisify(execFile)(process.execPath, [join(root, 'dist/cli.js'), ...args, ...settings], { cwd, env });
  } catch (error) {
    // The error of the command itself contains its whole output, and an import reports each of its lines.
    console.error(`The command "${args.join(' ')}" failed:`);
    process.stderr.write(`${error.stderr.slice(0, 1000)}\n${error.stdout.slice(0, 1000)}\n`);
    process.exit(1);
  }
}

/** Resident memory of a process in MB of 10^6 bytes. */
export async function residentMegabytes(pid) {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
  return (Number(stdout) * 1024) / 1e6;
}
