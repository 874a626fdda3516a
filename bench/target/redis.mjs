// A private Redis without persistence on a free port of the loopback address.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.mjs';

const HOST = '127.0.0.1';
const START_LIMIT_MILLIS = 10_000;

function serverFile() {
  return [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/local/bin', '/usr/sbin']
    .map((folder) => join(folder, 'redis-server'))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

const SERVER = serverFile();

export const hasRedis = SERVER !== undefined;

/** Starts the server, whose process is `pid`; `settings` connect a service to it. */
export async function startRedis(folder) {
  mkdirSync(folder);
  const port = await freePort();
  const args = ['--bind', HOST, '--port', String(port), '--save', '', '--appendonly', 'no', '--dir', folder];
  const child = spawn(SERVER, args, { cwd: folder, stdio: 'ignore' });
  const kill = () => child.kill('SIGKILL');
  process.prependListener('exit', kill);
  const limit = performance.now() + START_LIMIT_MILLIS;
  while (!(await isOpen(port))) {
    if (child.exitCode !== null || performance.now() > limit) throw new Error('Redis did not start');
    await sleep(50);
  }
  return {
    pid: child.pid,
    settings: [`--app.data.kvstore.host=${HOST}`, `--app.data.kvstore.port=${port}`],
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
      process.off('exit', kill);
    },
  };
}

async function isOpen(port) {
  const socket = connect(port, HOST);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
