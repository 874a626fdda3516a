import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DataSize } from '../../src/config/bind/data-size.js';
import { Duration } from '../../src/config/bind/duration.js';
import { EmbeddedProperties } from '../../src/http/admission/embedded.properties.js';
import { ThreadsProperties } from '../../src/http/admission/threads.properties.js';
import { ServerProperties } from '../../src/http/server.properties.js';
import { type EchoService, startEchoService } from '../support/echo-service.js';
import { held } from '../support/held.controller.js';
import { RawConnection } from '../support/raw-connection.js';
import { sendRaw } from '../support/raw-http.js';
import { waitUntil } from '../support/wait-until.js';

const PORTAL = 'https://portal.example';
const EVIL = 'https://evil.example';
const JSON_TYPE = 'Content-Type: application/json\r\n';

let service: EchoService;

beforeAll(async () => {
  service = await startEchoService({
    allowedOrigins: [PORTAL],
    threads: Object.assign(new ThreadsProperties(), { max: 1 }),
    server: Object.assign(new ServerProperties(), {
      maxHttpJsonBodySize: DataSize.ofBytes(1024),
      maxHttpRequestHeaderSize: DataSize.ofBytes(2048),
    }),
    embedded: Object.assign(new EmbeddedProperties(), { acceptCount: 0, connectionTimeout: Duration.ofSeconds(0.5) }),
  });
});

afterAll(() => service.stop());

interface Seen {
  readonly status: number | undefined;
  readonly headers: Headers;
  readonly body: string;
}

/** Sends a request line, headers that end their lines, and a body. */
async function ask(line: string, origin: string, headers = '', body = ''): Promise<Seen> {
  const sent = `${line} HTTP/1.1\r\nHost: x\r\nOrigin: ${origin}\r\nConnection: close\r\n${headers}\r\n${body}`;
  const { statuses, text } = await sendRaw(service.url, sent);
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const lines = head.split('\r\n').slice(1);
  const received = new Headers(
    lines.map((field): [string, string] => [field.split(':')[0] ?? '', /: (.*)$/.exec(field)?.[1] ?? '']),
  );
  return { status: statuses[0], headers: received, body: rest.join('') };
}

function accessControl(headers: Headers): string[] {
  return [...headers.keys()].filter((name) => name.startsWith('access-control-'));
}

/** What a browser asks for before its script may post JSON. */
const preflight = (path: string, origin: string): Promise<Seen> =>
  ask(
    `OPTIONS ${path}`,
    origin,
    'Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: content-type\r\n',
  );

/** Takes the only slot there is. */
async function whileFull<T>(run: () => Promise<T>): Promise<T> {
  const connection = await RawConnection.open(service.url);
  connection.get('/held');
  await waitUntil('the slot is taken', () => held.count > 0, { everyMillis: 2 });
  try {
    return await run();
  } finally {
    held.releaseAll();
    await connection.untilAnswered();
    connection.leave();
  }
}

const SMALL = `${JSON_TYPE}Content-Length: 2\r\n`;

const ANSWERS: readonly (readonly [number, string, (origin: string) => Promise<Seen>])[] = [
  [200, 'an answer', (origin) => ask('GET /plain', origin)],
  [400, 'a path that cannot be decoded', (origin) => ask('GET /%zz', origin)],
  [400, 'a path that is no UTF-8', (origin) => ask('GET /%ff', origin)],
  [400, 'a body that does not fit', (origin) => ask('POST /note', origin, SMALL, '{}')],
  [400, 'two lengths of one body', (origin) => ask('POST /note', origin, `${SMALL}Content-Length: 3\r\n`, '{}')],
  [403, 'a guard', (origin) => ask('GET /denied', origin)],
  [404, 'an unknown path', (origin) => ask('GET /nowhere', origin)],
  [404, 'an unknown path asked for its methods', (origin) => ask('OPTIONS /nowhere', origin)],
  [405, 'another method', (origin) => ask('DELETE /note', origin)],
  [406, 'another media type of the answer', (origin) => ask('GET /facts', origin, 'Accept: text/html\r\n')],
  [408, 'half a body', (origin) => ask('POST /note', origin, SMALL, '{')],
  [
    413,
    'a body that is too large',
    (origin) => ask('POST /any', origin, `${JSON_TYPE}Content-Length: 1025\r\n`, ' '.repeat(1025)),
  ],
  [
    415,
    'another media type',
    (origin) => ask('POST /any', origin, 'Content-Type: text/plain\r\nContent-Length: 1\r\n', 'x'),
  ],
  [431, 'a head that is too large', (origin) => ask('GET /plain', origin, `X-Long: ${'x'.repeat(2048)}\r\n`)],
  [500, 'a defect', (origin) => ask('GET /defect', origin)],
  [503, 'an overload', (origin) => whileFull(() => ask('GET /facts', origin))],
];

describe('app.security.cors.allowed-origins', () => {
  it.each(ANSWERS)('a script of an allowed origin may read %i, %s', async (status, _, send) => {
    const answer = await send(PORTAL);

    expect(answer.status).toBe(status);
    expect(answer.headers.get('access-control-allow-origin')).toBe(PORTAL);
    expect(answer.headers.get('access-control-allow-credentials')).toBe('true');
    expect(answer.headers.get('access-control-expose-headers')).toContain('x-request-id');
    expect(answer.headers.get('vary')).toBe('Origin');
    expect(answer.body).toContain(status < 400 ? '"status":"UP"' : `"status":${status},`);
  });

  it.each(ANSWERS)('H9 one of a foreign origin may not read %i, %s', async (status, _, send) => {
    const answer = await send(EVIL);

    expect(answer.status).toBe(status);
    expect(accessControl(answer.headers)).toEqual([]);
    expect(answer.headers.get('vary')).toBe('Origin');
    expect(answer.body).not.toContain('evil');
  });

  it('is told before it sends what it may, also while the service is full', async () => {
    const answers = [await preflight('/note', PORTAL), await whileFull(() => preflight('/note', PORTAL))];

    for (const { status, headers, body } of answers) {
      expect(status).toBe(204);
      expect(body).toBe('');
      expect(Object.fromEntries(headers)).toMatchObject({
        allow: 'POST, OPTIONS',
        vary: 'Origin',
        'access-control-allow-origin': PORTAL,
        'access-control-allow-credentials': 'true',
        'access-control-allow-methods': 'GET, HEAD, POST, PATCH, DELETE',
        'access-control-allow-headers': 'authorization, content-type, x-request-id',
        'access-control-max-age': '600',
        'cache-control': 'no-store',
      });
    }
  });

  it('a path without routes is 404 to whoever asks for its methods, and allows nothing', async () => {
    const { status, headers } = await preflight('/nowhere', PORTAL);

    expect(status).toBe(404);
    expect(headers.get('allow')).toBeNull();
    expect(headers.get('access-control-allow-methods')).toBeNull();
  });

  it('H9 a foreign origin is told nothing before it sends', async () => {
    const { status, headers } = await preflight('/note', EVIL);

    expect(status).toBe(204);
    expect(accessControl(headers)).toEqual([]);
  });

  it('says what the methods are to who only asks for them, and no more', async () => {
    const { status, headers } = await ask('OPTIONS /note', PORTAL);

    expect(status).toBe(204);
    expect(headers.get('allow')).toBe('POST, OPTIONS');
    expect(headers.get('access-control-allow-methods')).toBeNull();
  });
});
