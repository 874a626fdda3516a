import { once } from 'node:events';
import { connect } from 'node:net';
import { programOf } from './binaries.js';
import { freePort } from './free-port.js';
import { KeptProcess } from './kept-process.js';
import { temporaryFolder } from './temporary-folder.js';
import { waitUntil } from './wait-until.js';

export interface RedisServer {
  readonly host: string;
  readonly port: number;
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';

/** A private Redis without persistence. */
export async function startRedis(): Promise<RedisServer> {
  const cwd = temporaryFolder('redis');
  const port = await freePort();
  const args = ['--bind', HOST, '--port', String(port), '--save', '', '--appendonly', 'no', '--dir', cwd];
  const server = await KeptProcess.start(programOf('redis'), args, { env: {}, cwd, folder: cwd });
  await waitUntil('Redis accepts connections', async () => {
    if (server.hasEnded) throw new Error(`Redis did not start:\n${server.stdout}${server.stderr}`);
    return (await ask(port, 'PING')) === '+PONG';
  });
  return {
    host: HOST,
    port,
    async stop() {
      await server.stop();
    },
  };
}

/** Sends one inline command; returns the first line of the response, or null if the server is unreachable. */
export async function ask(port: number, command: string): Promise<string | null> {
  const socket = connect(port, HOST);
  try {
    await once(socket, 'connect');
    socket.write(`${command}\r\n`);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return answer.toString().split('\r\n')[0] ?? null;
  } catch {
    return null;
  } finally {
    socket.destroy();
  }
}
