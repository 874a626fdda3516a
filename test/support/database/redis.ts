import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { programOf } from '../runner/binaries.js';
import type { MadeCertificate } from '../http/certificates.js';
import { freePort } from '../programs/free-port.js';
import { KeptProcess } from '../programs/kept-process.js';
import { temporaryFolder } from '../programs/temporary-folder.js';
import { waitUntil } from '../runner/wait-until.js';

export interface RedisServer {
  readonly host: string;
  readonly port: number;
  /** For example `SIGSTOP`, which stops it with open connections. */
  signal(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
}

export interface RedisOptions {
  /** A port for a second start at the same address. */
  readonly port?: number;
  readonly password?: string;
  /** The server then speaks TLS only, and requires no certificate of its clients. */
  readonly tls?: MadeCertificate;
  readonly args?: readonly string[];
}

const HOST = '127.0.0.1';

/** A private Redis without persistence. */
export async function startRedis({ port: given, password, tls, args = [] }: RedisOptions = {}): Promise<RedisServer> {
  const port = given ?? (await freePort());
  const listening = tls
    ? [
        ...['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no'],
        ...['--tls-cert-file', tls.certificate, '--tls-key-file', tls.key],
      ]
    : ['--port', String(port)];
  const guarded = password === undefined ? [] : ['--requirepass', password, '--masterauth', password];
  return start(port, [...listening, '--save', '', '--appendonly', 'no', ...guarded, ...args], tls !== undefined);
}

/** A sentinel that watches one primary, and replaces it soon after it is gone; `more` are lines of its configuration. */
export async function startSentinel(
  name: string,
  primary: RedisServer,
  password?: string,
  more: readonly string[] = [],
): Promise<RedisServer> {
  const port = await freePort();
  const file = join(temporaryFolder('sentinel'), 'sentinel.conf');
  const lines = [
    `sentinel monitor ${name} ${primary.host} ${primary.port} 1`,
    `sentinel down-after-milliseconds ${name} 300`,
    `sentinel failover-timeout ${name} 2000`,
    ...(password === undefined ? [] : [`sentinel auth-pass ${name} ${password}`]),
    ...more,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  return start(port, [file, '--sentinel', '--port', String(port)], false);
}

async function start(port: number, args: readonly string[], isEncrypted: boolean): Promise<RedisServer> {
  const cwd = temporaryFolder('redis');
  const own = ['--bind', HOST, '--dir', cwd];
  // A sentinel takes the name of its file first.
  const server = await KeptProcess.start(programOf('redis'), [...args, ...own], { env: {}, cwd, folder: cwd });
  await waitUntil('Redis accepts connections', async () => {
    if (server.hasEnded) throw new Error(`Redis did not start:\n${server.stdout}${server.stderr}`);
    if (isEncrypted) return isOpen(port);
    return /^(?:\+PONG|-NOAUTH)/.test((await ask(port, 'PING')) ?? '');
  });
  return {
    host: HOST,
    port,
    signal(signal) {
      server.signal(signal);
    },
    async stop() {
      // A stopped process does not end before it continues.
      server.signal('SIGCONT');
      await server.stop();
    },
  };
}

async function isOpen(port: number): Promise<boolean> {
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
