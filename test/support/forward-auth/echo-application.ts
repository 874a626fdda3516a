import { once } from 'node:events';
import { createServer } from 'node:http';
import { listenAt } from '../programs/free-port.js';

/** A request that an application has received. */
export interface Received {
  readonly method: string;
  readonly target: string;
  /** Names in lower case, with each value. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** An application without a sign-in of its own: it remembers every request, and answers with it. */
export interface EchoApplication {
  readonly port: number;
  /** The requests since the last call. */
  take(): readonly Received[];
  stop(): Promise<void>;
}

export async function startEchoApplication(): Promise<EchoApplication> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const { method = '', url: target = '', rawHeaders } = request;
    const headers = rawHeaders.flatMap((name, at) =>
      at % 2 === 0 ? [[name.toLowerCase(), rawHeaders[at + 1] ?? ''] as const] : [],
    );
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = { method, target, headers, body: Buffer.concat(chunks).toString('latin1') };
      received.push(one);
      response.setHeader('content-type', 'application/json').end(JSON.stringify(one));
    });
  });
  const port = await listenAt(0, server);
  return {
    port,
    take: () => received.splice(0),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
