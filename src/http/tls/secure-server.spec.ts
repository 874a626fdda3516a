import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import { type AddressInfo, connect as connectTcp, createServer as createTcpServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { makeCertificate, type MadeCertificate } from '../../../test/support/certificates.js';
import { needs } from '../../../test/support/needs.js';
import { HELLO, requestFrames } from '../../../test/support/raw-http2.js';
import { handshake, http2Session, overHttp1, overHttp2 } from '../../../test/support/secure-client.js';
import { waitUntil } from '../../../test/support/wait-until.js';
import { streamOf } from '../http2-request.js';
import { Connections } from '../shutdown/connections.js';
import { secureServers } from './secure-server.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
type Server = ReturnType<ReturnType<typeof secureServers>>;

/** Far longer than anything here takes. */
const PATIENT_MILLIS = 60_000;
/** Largest window of HTTP/2 (RFC 9113 section 6.9.1). */
const MOST_BYTES = 2 ** 31 - 1;

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
    const factory = secureServers({ context, isHttp2: true, onUpdate: () => () => undefined });
    return listen(factory(handler, options as Record<string, unknown>));
  }

  async function listen(made: Server): Promise<string> {
    server = made;
    connections = new Connections(server, (socket) => busy.has(socket));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  function countConnections(): Promise<number> {
    return new Promise((resolve, reject) => {
      server.getConnections((error, count) => {
        if (error) reject(error);
        else resolve(count);
      });
    });
  }

  /** A client of HTTP/2 that takes answers of any size, until its network is blocked. */
  async function behindRelay(url: string): Promise<{ session: ClientHttp2Session; block: () => void }> {
    const upstream = connectTcp(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
    const relay = createTcpServer((client) => {
      client.on('error', () => undefined).pipe(upstream);
      upstream.pipe(client);
    });
    await once(relay.listen(0, '127.0.0.1'), 'listening');
    const session = await http2Session(`https://127.0.0.1:${(relay.address() as AddressInfo).port}`, made.pem);
    session.setLocalWindowSize(MOST_BYTES);
    session.settings({ initialWindowSize: MOST_BYTES });
    await once(session, 'localSettings');
    session.once('close', () => {
      upstream.destroy();
      relay.close();
    });
    return {
      session,
      block: () => {
        upstream.unpipe().pause();
      },
    };
  }

  it('speaks both versions, in HTTP/2 with a host and without Connection', async () => {
    const url = await start(tell);
    const { host } = new URL(url);

    const first = await overHttp1(url, '/', { ca: made.pem });
    const second = await overHttp2(await http2Session(url, made.pem), '/');

    expect([first.text, first.headers.connection, first.headers['x-host']]).toEqual(['1.1 true', 'close', host]);
    expect([second.text, second.headers.connection, second.headers['x-host']]).toEqual(['2.0 true', undefined, host]);
  });

  it('leaves a request of HTTP/2 that names two hosts without any', async () => {
    const url = await start(tell);
    const session = await http2Session(url, made.pem);

    const two = await overHttp2(session, '/', { headers: { ':authority': 'a.test', host: 'b.test' } });
    const same = await overHttp2(session, '/', { headers: { ':authority': 'a.test', host: 'a.test' } });

    expect([two.headers['x-host'], same.headers['x-host']]).toEqual(['none', 'a.test']);
  });

  it('closes a session of HTTP/2 that stands idle, and none that waits for an answer', async () => {
    const waiting: ServerResponse[] = [];
    const url = await start((_request, response) => waiting.push(response), { keepAliveTimeout: 100 });
    const idle = await http2Session(url, made.pem);
    const busy = await http2Session(url, made.pem);
    const stream = busy.request({ ':path': '/' });
    const answered = once(stream, 'response');

    await once(idle, 'close');
    expect(busy.closed).toBe(false);
    waiting[0]?.end('late');

    await answered;
    expect(await text(stream)).toBe('late');
    await once(busy, 'close');
  });

  it('cuts off a session whose answers nobody takes', async () => {
    const url = await start((_request, response) => response.end('x'.repeat(1000)), { keepAliveTimeout: 100 });
    const session = await http2Session(url, made.pem);
    session.settings({ initialWindowSize: 0 });
    await once(session, 'localSettings');

    session.request({ ':path': '/' }).on('error', () => undefined);
    await once(session, 'close');

    expect(session.destroyed).toBe(true);
  });

  it.each([
    ['it stands idle', { keepAliveTimeout: 200 }, () => undefined],
    [
      'its session is over',
      { keepAliveTimeout: 1000 },
      (request: IncomingMessage) => streamOf(request)?.session?.destroy(),
    ],
  ])('cuts off a connection of HTTP/2 that is blocked by its own answers when %s', async (_, options, then) => {
    const requests: IncomingMessage[] = [];
    const url = await start((request, response) => {
      response.end(Buffer.alloc(20_000_000));
      requests.push(request);
    }, options);
    const { session, block } = await behindRelay(url);
    block();

    const stream = session.request({ ':path': '/' }).on('error', () => undefined);
    await waitUntil('it is answered', () => requests.length > 0);
    for (const request of requests) then(request);

    await waitUntil('nobody is connected', async () => (await countConnections()) === 0);
    expect(stream.readableEnded).toBe(false);
    session.destroy();
  });

  it('ends a stream of HTTP/2 that is answered before its body is over', async () => {
    const url = await start((_request, response) => response.end('enough'));
    const session = await http2Session(url, made.pem);
    const early = session.request({ ':method': 'POST', ':path': '/' });
    early.on('error', () => undefined).write('half');

    const received: unknown[] = [];
    early.on('data', (chunk) => received.push(String(chunk)));
    await once(early, 'close');

    expect(received).toEqual(['enough']);
    expect(early.rstCode).toBe(0);
  });

  it('lets streams of HTTP/2 finish when it closes, and does not wait for those who only connect', async () => {
    const waiting: ServerResponse[] = [];
    const url = await start((_request, response) => waiting.push(response));
    const session = await http2Session(url, made.pem);
    const stream: ClientHttp2Stream = session.request({ ':path': '/' });
    const answered = once(stream, 'response');
    const tcp = connectTcp(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
    await once(tcp, 'connect');
    const idle = (await handshake(url, { ca: made.pem })).on('error', () => undefined).resume();
    await waitUntil('the request has arrived', () => waiting.length > 0);

    const left = [once(tcp.resume(), 'close'), once(idle, 'close'), once(session, 'goaway')];
    const closed = connections.end(PATIENT_MILLIS, () => undefined);
    await Promise.all(left);
    waiting[0]?.end('late');

    await answered;
    expect(await text(stream)).toBe('late');
    await closed;
  });

  it('lets a slow reader of HTTP/1.1 take its answer when it closes', async () => {
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
    // Whom nobody needs any more is closed at the same moment.
    await once(idle, 'close');

    expect((await text(reader)).length).toBeGreaterThan(size);
    await closed;
  });

  it('waits for no half heads of HTTP/2 when it closes, neither at once nor after the last answer', async () => {
    const waiting: ServerResponse[] = [];
    const url = await start((_request, response) => waiting.push(response));
    const halfHead = requestFrames(3, 20_000).slice(0, 1);
    const [half, awaiting] = [
      await handshake(url, { ca: made.pem, ALPNProtocols: ['h2'] }),
      await handshake(url, { ca: made.pem, ALPNProtocols: ['h2'] }),
    ];
    half.resume().write(Buffer.concat([HELLO, ...halfHead]));
    awaiting.resume().write(Buffer.concat([HELLO, ...requestFrames(1), ...halfHead]));
    await waitUntil('the whole request has arrived', () => waiting.length > 0);

    const halfClosed = once(half, 'close');
    const closed = connections.end(PATIENT_MILLIS, () => undefined);
    await halfClosed;
    expect(awaiting.destroyed).toBe(false);
    waiting[0]?.end('late');

    await closed;
  });

  it.each(['h2', 'http/1.1'])(
    'takes the next certificate for new connections of %s, and keeps the old ones',
    async (protocol) => {
      const next = makeCertificate({ name: 'next.test' });
      let take: (context: object) => void = () => undefined;
      const context = { cert: made.pem, key: readFileSync(made.key) };
      const onUpdate = (taken: typeof take) => {
        take = taken;
        return () => undefined;
      };
      const url = await listen(secureServers({ context, isHttp2: protocol === 'h2', onUpdate })(tell, {}));
      const before = await handshake(url, { ca: made.pem, ALPNProtocols: [protocol] });

      take({ cert: next.pem, key: readFileSync(next.key) });
      const after = await handshake(url, { ca: next.pem, ALPNProtocols: [protocol] });

      expect(after.getPeerCertificate().subject.CN).toBe('next.test');
      expect([before.alpnProtocol, before.destroyed]).toEqual([protocol, false]);
    },
  );
});
