import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DataSize } from '../../../src/config/bind/data-size.js';
import { Duration } from '../../../src/config/bind/duration.js';
import { EmbeddedProperties, ThreadsProperties } from '../../../src/platform/http/admission/embedded.properties.js';
import { ServerProperties } from '../../../src/platform/http/server.properties.js';
import { type EchoService, startEchoService } from '../../support/http/echo-service.js';
import { held } from '../../support/http/held.controller.js';
import { RawConnection } from '../../support/http/raw-connection.js';
import { sendRaw } from '../../support/http/raw-http.js';
import { waitUntil } from '../../support/runner/wait-until.js';

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
    embedded: Object.assign(new EmbeddedProperties(), { acceptCount: 0, connectionTimeout: Duration.ofSeconds(3) }),
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

/** The preflight request of a browser whose script wants to post JSON. */
const preflight = (path: string, origin: string): Promise<Seen> =>
  ask(
    `OPTIONS ${path}`,
    origin,
    'Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: content-type\r\n',
  );

/** Occupies the only slot during `run`. */
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
  [200, 'a success', (origin) => ask('GET /plain', origin)],
  [400, 'a path that cannot be decoded', (origin) => ask('GET /%zz', origin)],
  [400, 'a path that is not UTF-8', (origin) => ask('GET /%ff', origin)],
  [400, 'a body that violates the schema', (origin) => ask('POST /note', origin, SMALL, '{}')],
  [400, 'two Content-Length headers', (origin) => ask('POST /note', origin, `${SMALL}Content-Length: 3\r\n`, '{}')],
  [403, 'a route that a guard denies', (origin) => ask('GET /denied', origin)],
  [404, 'an unknown path', (origin) => ask('GET /nowhere', origin)],
  [404, 'OPTIONS of an unknown path', (origin) => ask('OPTIONS /nowhere', origin)],
  [405, 'a method without a route', (origin) => ask('DELETE /note', origin)],
  [406, 'an unacceptable response media type', (origin) => ask('GET /facts', origin, 'Accept: text/html\r\n')],
  [408, 'an incomplete body', (origin) => ask('POST /note', origin, SMALL, '{')],
  [
    413,
    'a body over the limit',
    (origin) => ask('POST /any', origin, `${JSON_TYPE}Content-Length: 1025\r\n`, ' '.repeat(1025)),
  ],
  [
    415,
    'an unsupported request media type',
    (origin) => ask('POST /any', origin, 'Content-Type: text/plain\r\nContent-Length: 1\r\n', 'x'),
  ],
  [431, 'a request head over the limit', (origin) => ask('GET /plain', origin, `X-Long: ${'x'.repeat(2048)}\r\n`)],
  [500, 'an internal error', (origin) => ask('GET /defect', origin)],
  [503, 'an overloaded service', (origin) => whileFull(() => ask('GET /facts', origin))],
];

describe('app.security.cors.allowed-origins', () => {
  it.each(ANSWERS)('an allowed origin may read the response %i for %s', async (status, _, send) => {
    const answer = await send(PORTAL);

    expect(answer.status).toBe(status);
    expect(answer.headers.get('access-control-allow-origin')).toBe(PORTAL);
    expect(answer.headers.get('access-control-allow-credentials')).toBe('true');
    expect(answer.headers.get('access-control-expose-headers')).toContain('x-request-id');
    expect(answer.headers.get('vary')).toBe('Origin');
    expect(answer.body).toContain(status < 400 ? '"status":"UP"' : `"status":${status},`);
  });

  it.each(ANSWERS)('H9: a foreign origin may not read the response %i for %s', async (status, _, send) => {
    const answer = await send(EVIL);

    expect(answer.status).toBe(status);
    expect(accessControl(answer.headers)).toEqual([]);
    expect(answer.headers.get('vary')).toBe('Origin');
    expect(answer.body).not.toContain('evil.example');
  });

  it('a preflight from an allowed origin gets the permitted methods and headers, even at full load', async () => {
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

  it('a preflight for an unknown path gets 404 and permits nothing', async () => {
    const { status, headers } = await preflight('/nowhere', PORTAL);

    expect(status).toBe(404);
    expect(headers.get('allow')).toBeNull();
    expect(headers.get('access-control-allow-methods')).toBeNull();
  });

  it('H9: a preflight from a foreign origin gets no Access-Control headers', async () => {
    const { status, headers } = await preflight('/note', EVIL);

    expect(status).toBe(204);
    expect(accessControl(headers)).toEqual([]);
  });

  it('OPTIONS without a requested method gets Allow and no permitted methods', async () => {
    const { status, headers } = await ask('OPTIONS /note', PORTAL);

    expect(status).toBe(204);
    expect(headers.get('allow')).toBe('POST, OPTIONS');
    expect(headers.get('access-control-allow-methods')).toBeNull();
  });
});
