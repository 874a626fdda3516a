import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect as connectTcp, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { makeCertificate, type MadeCertificate } from '../../../../test/support/http/certificates.js';
import { needs } from '../../../../test/support/runner/needs.js';
import { handshake, overHttp1 } from '../../../../test/support/http/secure-client.js';
import { waitUntil } from '../../../../test/support/runner/wait-until.js';
import { Connections } from '../shutdown/connections.js';
import { secureServers } from './secure-server.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
type Server = ReturnType<ReturnType<typeof secureServers>>;

/** Limit that no operation of these tests reaches. */
const PATIENT_MILLIS = 60_000;

/** Says of a request what Fastify and our hooks look at. */
const tell: Handler = (request, response) => {
  request.resume();
  const { host } = request.headers;
  response.writeHead(200, { connection: 'close', 'x-host': host ?? 'none' });
  response.end(`${request.httpVersion} ${String((request.socket as { encrypted?: boolean }).encrypted)}`);
};

needs('openssl')('a server with TLS', () => {
  let made: MadeCertificate;
  let server: Server;
  let connections: Connections;
  const busy = new Set<Socket>();

  beforeAll(() => {
    made = makeCertificate();
  });

  afterEach(async () => {
    await connections.end(0, () => undefined);
  });

  async function start(handler: Handler, options: object = {}): Promise<string> {
    const context = { cert: made.pem, key: readFileSync(made.key) };
    const factory = secureServers({ context, onUpdate: () => () => undefined });
    return listen(factory(handler, options as Record<string, unknown>));
  }

  async function listen(made: Server): Promise<string> {
    server = made;
    connections = new Connections(server, (socket) => busy.has(socket));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it('speaks HTTP/1.1 and marks the connection as encrypted', async () => {
    const url = await start(tell);
    const { host } = new URL(url);

    const answer = await overHttp1(url, '/', { ca: made.pem });

    expect([answer.text, answer.headers.connection, answer.headers['x-host']]).toEqual(['1.1 true', 'close', host]);
  });

  it('completes a running request when it closes, and does not wait for idle connections', async () => {
    const waiting: ServerResponse[] = [];
    const url = await start((request, response) => {
      busy.add(request.socket);
      response.once('close', () => busy.delete(request.socket));
      waiting.push(response);
    });
    const answer = overHttp1(url, '/', { ca: made.pem });
    const tcp = connectTcp(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
    await once(tcp, 'connect');
    const idle = (await handshake(url, { ca: made.pem })).on('error', () => undefined).resume();
    await waitUntil('the request has arrived', () => waiting.length > 0);

    const left = [once(tcp.resume(), 'close'), once(idle, 'close')];
    const closed = connections.end(PATIENT_MILLIS, () => undefined);
    await Promise.all(left);
    waiting[0]?.end('late');

    expect((await answer).text).toBe('late');
    await closed;
  });

  it('lets a slow client read its response when it closes', async () => {
    const size = 20_000_000;
    const url = await start((request, response) => {
      busy.add(request.socket);
      response.once('close', () => busy.delete(request.socket));
      response.writeHead(200, { connection: 'close' }).end(Buffer.alloc(size, 'x'));
    });
    const reader = await handshake(url, { ca: made.pem });
    reader.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await waitUntil('the answer is on its way', () => busy.size > 0);
    const idle = (await handshake(url, { ca: made.pem })).on('error', () => undefined).resume();

    const closed = connections.end(PATIENT_MILLIS, () => undefined);
    // Idle connections close at the same moment.
    await once(idle, 'close');

    expect((await text(reader)).length).toBeGreaterThan(size);
    await closed;
  });

  it('uses a new certificate for new connections, and keeps the old connections', async () => {
    const next = makeCertificate({ name: 'next.test' });
    let take: (context: object) => void = () => undefined;
    const context = { cert: made.pem, key: readFileSync(made.key) };
    const onUpdate = (taken: typeof take) => {
      take = taken;
      return () => undefined;
    };
    const url = await listen(secureServers({ context, onUpdate })(tell, {}));
    const before = await handshake(url, { ca: made.pem });

    take({ cert: next.pem, key: readFileSync(next.key) });
    const after = await handshake(url, { ca: next.pem });

    expect(after.getPeerCertificate().subject.CN).toBe('next.test');
    expect(before.destroyed).toBe(false);
  });
});
