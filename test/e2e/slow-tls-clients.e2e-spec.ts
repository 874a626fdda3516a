import { readFileSync } from 'node:fs';
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import { beforeAll, expect, it } from 'vitest';
import { Duration } from '../../src/config/bind/duration.js';
import { EmbeddedProperties } from '../../src/http/admission/embedded.properties.js';
import { ThreadsProperties } from '../../src/http/admission/threads.properties.js';
import { makeCertificate, type MadeCertificate } from '../support/certificates.js';
import { type EchoService, startEchoService } from '../support/echo-service.js';
import { needs } from '../support/needs.js';
import { RawConnection } from '../support/raw-connection.js';
import { HELLO, pingFrame, requestFrames } from '../support/raw-http2.js';
import { clientHello, handshake, http2Session, JSON_BODY, overHttp1, overHttp2 } from '../support/secure-client.js';
import { waitUntil } from '../support/wait-until.js';

const TIMEOUT_MILLIS = 1000;
/** Long enough for 450 handshakes on a busy machine. */
const CROWD_TIMEOUT_MILLIS = 3000;
/** A connection of HTTP/2 outlives its last request by the value again; with what a busy machine takes. */
const SOON = 30_000;
const SLOW = 150;

const HALF_HEAD = 'POST /note HTTP/1.1\r\nHost: x\r\nContent-Ty';
const HALF_BODY = 'POST /note HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{"tex';
/** The first of two frames that hold the head of one request. */
const [HALF_HEAD_2 = Buffer.alloc(0)] = requestFrames(1, 20_000);
const [WHOLE_HEAD_2 = Buffer.alloc(0)] = requestFrames(1);

let made: MadeCertificate;
let service: EchoService;

async function start(timeoutMillis: number): Promise<() => Promise<void>> {
  made = makeCertificate();
  const connectionTimeout = Duration.ofSeconds(timeoutMillis / 1000);
  const embedded = Object.assign(new EmbeddedProperties(), { connectionTimeout, acceptCount: 0 });
  // Fewer slots than slow clients.
  const threads = Object.assign(new ThreadsProperties(), { max: 4 });
  const context = { cert: made.pem, key: readFileSync(made.key) };
  service = await startEchoService({
    embedded,
    threads,
    tls: { context, isHttp2: true, onUpdate: () => () => undefined },
  });
  return () => service.stop();
}

/** A connection with TLS, and bytes on it. */
async function over(protocol: 'h2' | 'http/1.1', bytes: string | Buffer): Promise<RawConnection> {
  const connection = RawConnection.on(await handshake(service.url, { ca: made.pem, ALPNProtocols: [protocol] }));
  connection.send(bytes);
  return connection;
}

/** A connection without TLS, or with half of it. */
async function below(bytes: Buffer): Promise<RawConnection> {
  const connection = await RawConnection.open(service.url);
  connection.send(bytes);
  return connection;
}

function times<T>(count: number, make: () => Promise<T>): Promise<readonly T[]> {
  return Promise.all(Array.from({ length: count }, make));
}

async function timeUntilClosed(open: () => Promise<RawConnection>): Promise<[number, RawConnection]> {
  const since = performance.now();
  const connection = await open();
  await connection.untilClosed(SOON);
  return [performance.now() - since, connection];
}

/** What a client over HTTP/2 has sent of its requests, each on a connection of its own. */
class HalfBody {
  status: number | undefined;
  private readonly stream: ClientHttp2Stream;

  private constructor(private readonly session: ClientHttp2Session) {
    this.stream = session.request({ ':method': 'POST', ':path': '/note', ...JSON_BODY });
    this.stream.on('error', () => undefined).on('response', (headers) => (this.status = headers[':status']));
    this.stream.resume().write('{"tex');
  }

  static async send(): Promise<HalfBody> {
    return new HalfBody(await http2Session(service.url, made.pem));
  }

  get isClosed(): boolean {
    return this.session.destroyed;
  }

  dribble(): void {
    if (!this.stream.destroyed) this.stream.write(' ');
  }

  /** Node's client does not see that its connection is closed for as long as something it has written waits to go out. */
  forgetRest(): void {
    this.stream.destroy();
  }
}

needs('openssl')('R7 server.embedded.connection-timeout with TLS', () => {
  beforeAll(() => start(TIMEOUT_MILLIS));

  it.concurrent.each<[string, () => Promise<RawConnection>, readonly number[]]>([
    ['nothing at all', () => below(Buffer.alloc(0)), []],
    ['half the first message of the handshake', async () => below((await clientHello()).subarray(0, 100)), []],
    ['half a handshake', async () => below(await clientHello()), []],
    ['a handshake and nothing more', () => over('http/1.1', ''), [408]],
    ['half a head', () => over('http/1.1', HALF_HEAD), [408]],
    ['half a body', () => over('http/1.1', HALF_BODY), [408]],
    ['a whole request and nothing more', () => over('http/1.1', 'GET /plain HTTP/1.1\r\nHost: x\r\n\r\n'), [200]],
    ['a handshake for HTTP/2 and nothing more', () => over('h2', ''), []],
    ['half of what HTTP/2 begins with', () => over('h2', HELLO.subarray(0, 10)), []],
    ['no request over HTTP/2', () => over('h2', HELLO), []],
    ['half a head over HTTP/2', () => over('h2', Buffer.concat([HELLO, HALF_HEAD_2])), []],
    ['half a frame of HTTP/2', () => over('h2', Buffer.concat([HELLO, WHOLE_HEAD_2.subarray(0, -5)])), []],
    [
      'a request and half the next over HTTP/2',
      () => over('h2', Buffer.concat([HELLO, WHOLE_HEAD_2, requestFrames(3, 20_000)[0] ?? HELLO])),
      [],
    ],
  ])('a client that sends %s is cut at it, and not before', { timeout: 2 * SOON }, async (_, open, statuses) => {
    const [millis, connection] = await timeUntilClosed(open);

    expect(connection.statuses).toEqual(statuses);
    expect(millis).toBeGreaterThan(TIMEOUT_MILLIS - 50);
  });

  it.concurrent.each<[string, () => Promise<RawConnection>, Buffer]>([
    ['half a handshake', async () => below(await clientHello()), Buffer.of(0x14, 3, 3, 0, 1, 1)],
    ['an empty line', () => over('http/1.1', ''), Buffer.from('\r\n')],
    ['a head', () => over('http/1.1', HALF_HEAD), Buffer.from('x')],
    ['a body', () => over('http/1.1', HALF_BODY.replace('12', '1200')), Buffer.from(' ')],
    ['a frame of HTTP/2', () => over('h2', Buffer.concat([HELLO, HALF_HEAD_2.subarray(0, 100)])), Buffer.from('x')],
    ['pings of HTTP/2', () => over('h2', HELLO), pingFrame()],
  ])('a client has no more time for %s a piece at a time', { timeout: 2 * SOON }, async (_, open, piece) => {
    const connection = await open();
    const dribble = setInterval(() => {
      connection.send(piece);
    }, TIMEOUT_MILLIS / 5);

    await connection.untilClosed(SOON).finally(() => {
      clearInterval(dribble);
    });

    expect(connection.statuses.filter((status) => status !== 408)).toEqual([]);
  });

  it.concurrent(
    'a body over HTTP/2 is answered 408 at it, and its connection closed',
    { timeout: 2 * SOON },
    async () => {
      const since = performance.now();
      const [still, dribbled] = [await HalfBody.send(), await HalfBody.send()];
      const dribble = setInterval(() => {
        dribbled.dribble();
      }, TIMEOUT_MILLIS / 5);

      await waitUntil('both are answered', () => still.status !== undefined && dribbled.status !== undefined, {
        limitMillis: SOON,
      }).finally(() => {
        clearInterval(dribble);
      });

      expect([still.status, dribbled.status]).toEqual([408, 408]);
      expect(performance.now() - since).toBeGreaterThan(TIMEOUT_MILLIS - 50);
      dribbled.forgetRest();
      await waitUntil('both are cut', () => still.isClosed && dribbled.isClosed, { limitMillis: SOON });
    },
  );
});

needs('openssl')('R7 a crowd of slow clients with TLS', () => {
  beforeAll(() => start(CROWD_TIMEOUT_MILLIS));

  it.each<[string, () => Promise<readonly { readonly isClosed: boolean }[]>]>([
    [
      'half handshakes, heads and bodies over HTTP/1.1',
      async () => {
        const hello = await clientHello();
        const [handshakes, heads, bodies] = [
          await times(SLOW, () => below(hello)),
          await times(SLOW, () => over('http/1.1', HALF_HEAD)),
          await times(SLOW, () => over('http/1.1', HALF_BODY)),
        ];
        return [...handshakes, ...heads, ...bodies];
      },
    ],
    [
      'half heads and bodies over HTTP/2',
      async () => [
        ...(await times(SLOW, () => over('h2', Buffer.concat([HELLO, HALF_HEAD_2])))),
        ...(await times(SLOW, () => HalfBody.send())),
      ],
    ],
  ])('while 150 each send %s, others are answered', { timeout: 2 * SOON }, async (_, open) => {
    const slow = await open();
    const session = await http2Session(service.url, made.pem);
    const note = { method: 'POST', headers: JSON_BODY, body: '{"text":"a"}' };

    const answers: number[] = [];
    let longest = 0;
    const until = performance.now() + SOON;
    while (slow.some(({ isClosed }) => !isClosed) && performance.now() < until) {
      const since = performance.now();
      answers.push((await overHttp1(service.url, '/note', { ...note, ca: made.pem })).status);
      answers.push((await overHttp2(session, '/note', note)).status);
      longest = Math.max(longest, performance.now() - since);
    }

    // Answered all along, while those stood in the way.
    expect(answers.length).toBeGreaterThan(10);
    expect(new Set(answers)).toEqual(new Set([200]));
    expect(longest).toBeLessThan(2000);
    expect(slow.filter(({ isClosed }) => !isClosed).length).toBe(0);
    session.destroy();
  });
});
