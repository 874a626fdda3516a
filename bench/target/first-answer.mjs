import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { freePort } from './free-port.mjs';

const LIMIT_MILLIS = 20_000;

/** Milliseconds from the spawn to the first response on / that is no error, requested without a pause; stops the process afterwards. */
export async function timeToFirstAnswer(argumentsFor, cwd, variables) {
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

function answers(port) {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path: '/', agent: false }, (response) => {
      response.resume();
      // The page of visitors is behind a redirect.
      resolve(response.statusCode < 400);
    });
    request.on('error', () => resolve(false));
  });
}
