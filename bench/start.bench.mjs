// From the start of the process to the first 200 on /, against a bare NestJS-on-Fastify application.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compare, goal } from './measure.mjs';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const bare = fileURLToPath(new URL('./bare-nest.mjs', import.meta.url));
const LIMIT_MILLIS = 20_000;

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

function answers(port) {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path: '/', agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('error', () => resolve(false));
  });
}

/** Milliseconds from the spawn to the first 200, asked for without pause; the process is stopped again. */
async function timeToFirstAnswer(argumentsFor, cwd) {
  const port = await freePort();
  const start = performance.now();
  const child = spawn(process.execPath, argumentsFor(port), { cwd, stdio: 'ignore', env: { PATH: process.env.PATH } });
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

const folder = mkdtempSync(join(tmpdir(), 'bench-start-'));
try {
  const ratio = await compare(
    {
      name: 'service on a new embedded database',
      run: () => {
        const cwd = mkdtempSync(join(folder, 'run-'));
        return timeToFirstAnswer((port) => [main, `--server.port=${port}`, '--server.address=127.0.0.1'], cwd);
      },
    },
    { name: 'bare NestJS on Fastify', run: () => timeToFirstAnswer((port) => [bare, String(port)], folder) },
    { rounds: 15, warmUp: 2 },
  );
  goal('first 200 on / within 1.5 times the bare application', ratio <= 1.5);
} finally {
  rmSync(folder, { recursive: true });
}
