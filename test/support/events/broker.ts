import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';

/** The shared resources of a run, by name; each result must be serializable as JSON. */
export type Offers = Readonly<Record<string, () => Promise<unknown>>>;

type Answer = { readonly value: unknown } | { readonly failure: string };

/** Serves the offers to all test processes of a run; returns a function that stops the broker. */
export async function openBroker(path: string, offers: Offers): Promise<() => Promise<void>> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    void answer(socket, offers);
  });
  server.listen(path);
  await once(server, 'listening');
  return async () => {
    server.close();
    await once(server, 'close');
  };
}

/** Requests an offer from the broker of this run, or from the one at the path. */
export async function request(offer: string, path = inject('broker')): Promise<unknown> {
  const socket = connect({ path, allowHalfOpen: true });
  socket.end(offer);
  const answered = JSON.parse(await text(socket)) as Answer;
  if ('failure' in answered) throw new Error(answered.failure);
  return answered.value;
}

async function answer(socket: Socket, offers: Offers): Promise<void> {
  // The client may be gone, for example after a test timeout.
  socket.on('error', () => undefined);
  let answered: Answer;
  try {
    const name = await text(socket);
    const offer = Object.hasOwn(offers, name) ? offers[name] : undefined;
    answered = offer ? { value: await offer() } : { failure: 'the run offers nothing of that name' };
  } catch (error) {
    const { message, stdout = '', stderr = '' } = error as Error & { stdout?: string; stderr?: string };
    answered = { failure: [message, stdout, stderr].join('\n') };
  }
  socket.end(JSON.stringify(answered));
}
