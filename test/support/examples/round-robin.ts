import { createServer, request } from 'node:http';
import { once } from 'node:events';
import { listenAt } from '../programs/free-port.js';

/** A proxy that sends each request to the next of its targets, so that no two steps of a sign-in meet the same service. */
export interface RoundRobin {
  stop(): Promise<void>;
}

export async function startRoundRobin(port: number, targets: readonly string[]): Promise<RoundRobin> {
  let turn = 0;
  const server = createServer((incoming, response) => {
    const { method, url = '', headers } = incoming;
    const target = targets[turn % targets.length] ?? '';
    turn += 1;
    const onwards = request(target + url, { method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onwards.once('error', () => response.destroy());
    incoming.pipe(onwards);
  });
  await listenAt(port, server);
  return {
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
