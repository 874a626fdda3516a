// Compares the time from the start of the process to the first 200 on / with a bare NestJS-on-Fastify application: both with
// a compile cache of an earlier start, as the service has by itself, and both without.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compare, goal } from './measure.mjs';
import { freePort } from './target/free-port.mjs';
import { NODE_OPTIONS } from './target/program.mjs';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const bare = fileURLToPath(new URL('./bare-nest.mjs', import.meta.url));
const LIMIT_MILLIS = 20_000;

function answers(port) {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path: '/', agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('error', () => resolve(false));
  });
}

/** Milliseconds from the spawn to the first 200, requested without a pause; stops the process afterwards. */
async function timeToFirstAnswer(argumentsFor, cwd, variables) {
  const port = await freePort();
  const start = performance.now();
  const child = spawn(process.execPath, argumentsFor(port), {
    cwd,
    stdio: 'ignore',
    env: { PATH: process.env.PATH, ...variables },
  });
  try {
    while (!(await answers(port))) {
      if (child.exitCode !== null) throw new Error(`the process ended with ${child.exitCode}`);
      if (performance.now() - start > LIMIT_MILLIS) throw new Error('no answer in time');
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return performance.now() - start;
  } finally {
    if (child.exitCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
}

function competitors(folder, ofService, ofBare) {
  return [
    {
      name: 'service on a new embedded database',
      run: () => {
        const cwd = mkdtempSync(join(folder, 'run-'));
        const args = (port) => [...NODE_OPTIONS, main, `--server.port=${port}`, '--server.address=127.0.0.1'];
        return timeToFirstAnswer(args, cwd, ofService);
      },
    },
    {
      name: 'bare NestJS on Fastify',
      run: () => timeToFirstAnswer((port) => [...NODE_OPTIONS, bare, String(port)], folder, ofBare),
    },
  ];
}

const folder = mkdtempSync(join(tmpdir(), 'bench-start-'));
try {
  const rounds = { rounds: 15, warmUp: 3 };
  console.log('with a compile cache:');
  const kept = await compare(...competitors(folder, {}, { NODE_COMPILE_CACHE: join(folder, 'cache') }), rounds);
  console.log('without a compile cache:');
  const without = { NODE_DISABLE_COMPILE_CACHE: '1' };
  const fresh = await compare(...competitors(folder, without, without), rounds);
  goal('first 200 on / within 1.6 times the bare application', kept <= 1.6);
  goal('the same on a first start, without a compile cache', fresh <= 1.6);
} finally {
  rmSync(folder, { recursive: true });
}
