import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** A loopback listener that must not be called; it counts its calls. */
export interface Lure extends AsyncDisposable {
  readonly url: string;
  readonly calls: number;
}

export async function openLure(): Promise<Lure> {
  let calls = 0;
  const server = createServer((socket) => {
    calls += 1;
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    get calls() {
      return calls;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, 'close');
    },
  };
}
