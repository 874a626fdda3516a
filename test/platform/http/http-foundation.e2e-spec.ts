import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STATUS } from '../../../src/kernel/errors/error-code.js';
import { PIXEL } from '../../support/http/echo.controller.js';
import { type EchoService, startEchoService } from '../../support/http/echo-service.js';
import { sendRaw } from '../../support/http/raw-http.js';

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const HEADERS = [
  'api-version',
  'cache-control',
  'content-security-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'permissions-policy',
  'referrer-policy',
  'x-content-type-options',
  'x-frame-options',
  'x-request-id',
];

interface Problem {
  readonly code: string;
  readonly status: number;
  readonly instance: string;
  readonly request_id: string;
  readonly errors?: readonly object[];
  readonly detail?: string;
  readonly trace?: string;
}

let service: EchoService;

beforeAll(async () => {
  service = await startEchoService();
});

afterAll(() => service.stop());

function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(service.url + path, { headers });
}

function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const sent = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  return fetch(service.url + path, {
    method: 'POST',
    headers: { 'content-type': JSON_TYPE, ...headers },
    body: sent as NonNullable<RequestInit['body']>,
  });
}

async function problemOf(answer: Response): Promise<Problem> {
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  const problem = (await answer.json()) as Problem;
  expect(problem.status).toBe(answer.status);
  expect(problem.request_id).toBe(answer.headers.get('x-request-id'));
  return problem;
}

describe('response headers', () => {
  it.each([
    ['a success', 'GET', '/facts'],
    ['a route without a controller', 'GET', '/plain'],
    ['an error response', 'GET', '/refused/ACCESS_DENIED'],
    ['an internal error', 'GET', '/defect'],
    ['an unknown path', 'GET', '/nowhere'],
    ['a method without a route', 'DELETE', '/facts'],
    ['an undecodable path', 'GET', '/%zz'],
    ['an undecodable query', 'GET', '/facts?a=%ff'],
    ['an invalid body', 'POST', '/note'],
    ['OPTIONS', 'OPTIONS', '/facts'],
  ])('the default response headers are set for %s', async (_, method, path) => {
    const { headers } = await fetch(service.url + path, { method });

    for (const name of HEADERS) expect(headers.get(name), name).toBeTruthy();
    expect(headers.get('api-version')).toBe('1');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('strict-transport-security')).toBeNull();
  });

  it('the default response headers are set for an unparsable request', async () => {
    const { text } = await sendRaw(service.url, 'NONSENSE\r\n\r\n');

    for (const name of HEADERS) expect(text).toContain(`\r\n${name}: `);
  });

  it('a well-formed request id is kept, and a malformed one is replaced', async () => {
    const kept = await get('/facts', { 'x-request-id': 'Az09._-8' });
    const made = await Promise.all(
      ['short77', 'x'.repeat(65), 'has space', 'semi;colon'].map((id) => get('/facts', { 'x-request-id': id })),
    );

    expect(kept.headers.get('x-request-id')).toBe('Az09._-8');
    for (const { headers } of made) expect(headers.get('x-request-id')).toMatch(/^[\w-]{22}$/);
    expect(new Set(made.map(({ headers }) => headers.get('x-request-id'))).size).toBe(4);
  });

  it('a route may set Cache-Control for its success but not for its errors', async () => {
    const kept = await get('/keys');
    const failed = await get('/keys?fail=1');

    expect(kept.headers.get('cache-control')).toBe('max-age=300');
    expect(failed.status).toBe(503);
    expect(failed.headers.get('cache-control')).toBe('no-store');
  });
});

it('a handler reads the request context after an await and with a body', async () => {
  const headers = { 'x-request-id': 'request-77', 'user-agent': 'x'.repeat(300) };
  const expected = { requestId: 'request-77', ip: '127.0.0.1', agent: 'x'.repeat(255) };

  expect(await (await get('/facts', headers)).json()).toEqual(expected);
  expect(await (await post('/facts', {}, headers)).json()).toEqual(expected);
});

it('concurrent requests have separate request contexts', async () => {
  const ids = Array.from({ length: 50 }, (_, index) => `request-${index}`);

  const facts = await Promise.all(
    ids.map(async (id): Promise<unknown> => (await get('/facts', { 'x-request-id': id })).json()),
  );

  expect(facts.map((fact) => (fact as { requestId: string }).requestId)).toEqual(ids);
});

describe('error responses', () => {
  it.each(Object.entries(STATUS))(
    'the error %s has status %i and its code, but not its reason',
    async (code, status) => {
      const answer = await get(`/refused/${code}?secret=1`);
      const text = await answer.clone().text();

      expect(answer.status).toBe(status);
      expect(await problemOf(answer)).toMatchObject({ code, instance: `/refused/${code}` });
      expect(text).not.toMatch(/reason|secret=1/);
    },
  );

  it('an error response has the headers of its code', async () => {
    expect((await get('/locked')).headers.get('retry-after')).toBe('300');
    expect((await get('/refused/UNAVAILABLE')).headers.get('retry-after')).toBe('1');
    expect((await get('/refused/INVALID_TOKEN')).headers.get('www-authenticate')).toBe('Bearer');
    expect((await get('/challenged')).headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    expect((await get('/refused/MFA_CODE_INVALID')).headers.get('www-authenticate')).toBeNull();
  });

  it('a guard that returns false causes ACCESS_DENIED', async () => {
    expect((await problemOf(await get('/denied'))).code).toBe('ACCESS_DENIED');
  });

  it('L4: an internal error shows nothing to the caller and its stack trace in the log', async () => {
    const answer = await get('/defect');
    const text = await answer.clone().text();
    const { request_id: id } = await problemOf(answer);

    expect(text).not.toMatch(/SELECT|passwd|TypeError|controller|node_modules| at /);
    const lines = service.log.texts.filter((line) => line.includes(`[${id}]`));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /^ERROR server \[\S+\] INTERNAL_ERROR GET \/defect\nTypeError: SELECT secret\\u000a *FROM \/etc\/passwd\n {4}at /,
    );
  });

  it('a thrown value that is not an Error causes INTERNAL_ERROR', async () => {
    expect((await problemOf(await get('/no-error'))).code).toBe('INTERNAL_ERROR');
  });

  it('error responses contain detail and trace if includeMessage and includeStacktrace are always', async () => {
    const talkative = await startEchoService({ errors: { includeMessage: 'always', includeStacktrace: 'always' } });
    const problem = (await (await fetch(`${talkative.url}/refused/ACCESS_DENIED`)).json()) as Problem;
    await talkative.stop();

    expect(problem.detail).toBe('Do not repeat the request as this user.');
    expect(problem.trace).toMatch(/^ServiceError\n\s+at EchoController\.refused/);
    expect(JSON.stringify(problem)).not.toContain('reason');
  });
});

describe('paths and methods', () => {
  it('H9: a known path with an unsupported method gets 405 with Allow', async () => {
    for (const [method, path, allow] of [
      ['DELETE', '/facts', 'GET, HEAD, POST, OPTIONS'],
      ['GET', '/note', 'POST, OPTIONS'],
      ['PUT', '/items/abc?x=1', 'GET, HEAD, OPTIONS'],
      ['POST', '/plain', 'GET, HEAD, OPTIONS'],
    ] as const) {
      const answer = await fetch(service.url + path, { method });

      expect((await problemOf(answer)).code).toBe('METHOD_NOT_ALLOWED');
      expect(answer.headers.get('allow')).toBe(allow);
    }
  });

  it('an unknown path gets 404 for every method and body', async () => {
    for (const method of ['GET', 'DELETE', 'OPTIONS', 'PATCH']) {
      expect((await fetch(`${service.url}/nowhere`, { method })).status).toBe(404);
    }
    expect((await post('/nowhere', '{"half":')).status).toBe(404);
    expect((await post('/nowhere', 'a=b', { 'content-type': 'text/plain' })).status).toBe(404);
  });

  it('HEAD of a GET route returns 200 and Content-Length without a body', async () => {
    const answer = await fetch(`${service.url}/facts`, { method: 'HEAD' });

    expect(answer.status).toBe(200);
    expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(0);
    expect(await answer.text()).toBe('');
  });

  it('OPTIONS of a known path returns 204 with Allow', async () => {
    const answer = await fetch(`${service.url}/note`, { method: 'OPTIONS' });

    expect(answer.status).toBe(204);
    expect(answer.headers.get('allow')).toBe('POST, OPTIONS');
  });

  it.each(['TRACE', 'PROPFIND', 'CONNECTX', 'get'])('H9: the method %s is rejected', async (method) => {
    const { statuses, text } = await sendRaw(
      service.url,
      `${method} /facts HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );

    expect(statuses).toHaveLength(1);
    expect([400, 405]).toContain(statuses[0]);
    expect(text).toContain('application/problem+json');
  });

  it('a path with an empty parameter gets 404', async () => {
    expect((await get('/items/')).status).toBe(404);
  });

  it('H8: other spellings of a path do not reach its route', async () => {
    for (const path of ['/Facts', '//facts', '/facts/', '/facts;a=b', '/x/../facts%2f', '/facts%00', '/./facts']) {
      const { statuses } = await sendRaw(service.url, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);

      expect(statuses, path).toHaveLength(1);
      expect([400, 404], path).toContain(statuses[0]);
    }
  });
});

describe('JSON bodies', () => {
  it('a JSON body that matches the schema is accepted', async () => {
    const answer = await post('/note', { text: 'a', count: 3 }, { 'content-type': 'application/json; charset=UTF-8' });

    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ text: 'a', count: 3 });
  });

  it('H1: a JSON body that violates the schema gets 400 with every invalid member', async () => {
    const problem = await problemOf(await post('/note', { text: 1, count: 10, tags: ['bad'], more: 1 }));

    expect(problem.code).toBe('VALIDATION_FAILED');
    expect(problem.errors).toEqual([
      { field: 'text', code: 'type' },
      { field: 'count', code: 'range' },
      { field: 'tags.0', code: 'too_short' },
      { field: 'more', code: 'unknown' },
    ]);
  });

  it('a missing or empty body is validated like an empty object', async () => {
    const answers = [
      await fetch(`${service.url}/note`, { method: 'POST' }),
      await post('/note', ''),
      await post('/note', {}),
    ];

    for (const answer of answers) {
      expect((await problemOf(answer)).errors).toEqual([{ field: 'text', code: 'required' }]);
    }
  });

  it.each(['[]', '[{"text":"a"}]', 'null', '1', '"text"', 'true'])(
    'H1: the JSON body %s, which is not an object, gets 400',
    async (body) => {
      expect((await problemOf(await post('/note', body))).errors).toEqual([{ field: '', code: 'type' }]);
    },
  );

  it.each([
    ['H1: malformed JSON', '{"text":'],
    ['H1: a duplicate member', '{"text":"a","text":"a"}'],
    ['H2: NUL', String.raw`{"text":"a\u0000"}`],
    ['H2: a lone surrogate', String.raw`{"text":"\ud800"}`],
    ['H2: invalid UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d])],
    ['H4: __proto__', '{"__proto__":{},"text":"a"}'],
    ['H5: nesting of 30,000 levels', '['.repeat(30_000)],
  ])('%s in a JSON body gets 400', async (_, body) => {
    expect((await problemOf(await post('/note', body))).code).toBe('VALIDATION_FAILED');
  });

  it.each([
    ['a text media type', { 'content-type': 'text/plain' }],
    ['a form media type', { 'content-type': FORM_TYPE }],
    ['another JSON media type', { 'content-type': 'application/merge-patch+json' }],
    ['another character set', { 'content-type': 'application/json; charset=latin1' }],
    ['a malformed media type', { 'content-type': 'nonsense' }],
    ['a content coding', { 'content-encoding': 'gzip' }],
    ['two content codings', { 'content-encoding': 'identity, br' }],
  ])('H1: a body with %s gets 415', async (_, headers) => {
    expect((await problemOf(await post('/note', { text: 'a' }, headers))).code).toBe('UNSUPPORTED_MEDIA_TYPE');
  });

  it('H1: a body without a media type gets 415', async () => {
    const { statuses } = await sendRaw(
      service.url,
      'POST /note HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}',
    );

    expect(statuses).toEqual([415]);
  });

  it('H1: a route without a request schema accepts no body or an empty object only', async () => {
    expect((await fetch(`${service.url}/nothing`, { method: 'POST' })).status).toBe(204);
    expect((await post('/nothing', {})).status).toBe(204);
    for (const body of ['{"a":1}', '[]', 'null']) expect((await post('/nothing', body)).status).toBe(400);
  });
});

describe('large requests', () => {
  it('H5: a body of 64 KB is accepted, and one more byte gets 413', async () => {
    const fitting = JSON.stringify({ body: 'x'.repeat(64 * 1024 - 11) });

    expect(Buffer.byteLength(fitting)).toBe(64 * 1024);
    expect((await post('/any', fitting)).status).toBe(200);
    expect((await problemOf(await post('/any', `${fitting} `))).code).toBe('PAYLOAD_TOO_LARGE');
  });

  it.each(['keep-alive', 'close'])(
    'H5: a body of 8 MB gets 413, which its sender receives (Connection: %s)',
    async (connection) => {
      const size = 8 * 1024 * 1024;
      const head = `Host: x\r\nContent-Type: ${JSON_TYPE}\r\nConnection: ${connection}\r\n`;
      const chunk = Buffer.alloc(size);
      const isKept = connection === 'keep-alive';
      const next = isKept ? 'GET /plain HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n' : '';

      const sized = await sendRaw(
        service.url,
        `POST /note HTTP/1.1\r\n${head}Content-Length: ${size}\r\n\r\n`,
        chunk,
        next,
      );
      const chunked = await sendRaw(
        service.url,
        `POST /note HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n${size.toString(16)}\r\n`,
        chunk,
        `\r\n0\r\n\r\n`,
        next,
      );

      // A kept connection serves the next request.
      const expected = isKept ? [413, 200] : [413];
      expect(sized.statuses).toEqual(expected);
      expect(chunked.statuses).toEqual(expected);
    },
  );

  it('H5: 100 KB of headers get 431', async () => {
    const { statuses, text } = await sendRaw(
      service.url,
      `GET /plain HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`,
    );

    expect(statuses).toEqual([431]);
    expect(text).toContain('"code":"PAYLOAD_TOO_LARGE"');
  });
});

describe('H7: ambiguous messages', () => {
  it.each([
    ['two Content-Length headers', 'Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}'],
    ['Content-Length with Transfer-Encoding', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['an unknown transfer coding', 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
    ['a transfer coding after chunked', 'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n'],
    ['a space before the colon', 'Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n'],
    [
      'a chunk without a size',
      'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n',
    ],
    ['a negative Content-Length', 'Content-Length: -1\r\n\r\n'],
  ])('H7: %s gets one 400, and the connection closes', async (_, rest) => {
    const next = 'GET /plain HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

    const { statuses } = await sendRaw(service.url, `POST /note HTTP/1.1\r\nHost: x\r\n${rest}`, next);

    expect(statuses).toEqual([400]);
  });

  it('H7: lines that end with LF alone get 400', async () => {
    const { statuses } = await sendRaw(service.url, 'GET /plain HTTP/1.1\nHost: x\nConnection: close\n\n');

    expect(statuses).toEqual([400]);
  });

  it.each(['Host: x\r\nHost: x', 'Host: x\r\nHOST: y'])('H7: two Host headers get 400: %j', async (hosts) => {
    const { statuses, text } = await sendRaw(
      service.url,
      `GET /plain HTTP/1.1\r\n${hosts}\r\nConnection: close\r\n\r\n`,
    );

    expect(statuses).toEqual([400]);
    expect(text).toContain('"code":"VALIDATION_FAILED"');
  });

  it.each(['2.0', '3.0', '0.9'])('H7: HTTP/%s on an HTTP/1 connection gets 400', async (version) => {
    const { statuses, text } = await sendRaw(
      service.url,
      `GET /plain HTTP/${version}\r\nHost: a\r\nConnection: close\r\n\r\n`,
    );

    expect(statuses).toEqual([400]);
    expect(text).toMatch(/^x-request-id: /im);
    expect(text).toContain('"code":"VALIDATION_FAILED"');
  });

  it('H7: an unknown expectation is ignored', async () => {
    const head = 'Host: x\r\nExpect: the-unexpected\r\nConnection: close\r\n';

    expect((await sendRaw(service.url, `GET /plain HTTP/1.1\r\n${head}\r\n`)).statuses).toEqual([200]);
  });

  it('H7: HTTP/1.1 without Host gets 400', async () => {
    const { statuses, text } = await sendRaw(service.url, 'GET /plain HTTP/1.1\r\nConnection: close\r\n\r\n');

    expect(statuses).toEqual([400]);
    expect(text).toContain('"code":"VALIDATION_FAILED"');
  });
});

it('R8: a client that disconnects in the middle of its body logs nothing', async () => {
  const before = service.log.texts.length;
  const socket = connect(service.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`POST /note HTTP/1.1\r\nHost: x\r\nContent-Type: ${JSON_TYPE}\r\nContent-Length: 100\r\n\r\n{"half`);
  // The response shows that the service has received the incomplete request.
  await get('/plain');
  socket.destroy();
  await once(socket, 'close');
  await get('/plain');
  await setImmediate();

  expect(service.log.texts).toHaveLength(before);
});

describe('form bodies', () => {
  it('a form route accepts a form and rejects JSON', async () => {
    const taken = await post('/form', 'token=a%20b', { 'content-type': FORM_TYPE });

    expect(await taken.json()).toEqual({ token: 'a b' });
    expect((await post('/form', { token: 'a' })).status).toBe(415);
  });

  it('a form that violates the schema gets 400', async () => {
    for (const body of ['token=a&token=b', 'token=%00', 'other=1', 'token=a&other=1', '']) {
      expect((await post('/form', body, { 'content-type': FORM_TYPE })).status, body).toBe(400);
    }
  });
});

describe('path parameters and queries', () => {
  it('path parameters and queries are parsed by their schemas', async () => {
    expect(await (await get('/items/abc')).json()).toEqual({ id: 'abc', page: { limit: 50 } });
    expect(await (await get('/items/%C3%BC?limit=20&after=x')).json()).toEqual({
      id: 'ü',
      page: { limit: 20, after: 'x' },
    });
  });

  it.each([
    ['/items/abcdef', 'id', 'too_long'],
    ['/items/a?limit=0', 'limit', 'format'],
    ['/items/a?limit=201', 'limit', 'range'],
    ['/items/a?limit=1&limit=2', 'limit', 'type'],
    ['/items/a?sort=name', 'sort', 'unknown'],
  ])('an invalid path parameter or query gets 400: %s', async (path, field, code) => {
    expect((await problemOf(await get(path))).errors).toContainEqual({ field, code });
  });

  it('H2: NUL and invalid UTF-8 in a path parameter or query get 400', async () => {
    for (const path of ['/items/a%00', '/items/a?after=%00', '/items/a?after=%ff', '/items/a?after=%ED%A0%80']) {
      expect((await problemOf(await get(path))).code, path).toBe('VALIDATION_FAILED');
    }
  });
});

describe('cookies', () => {
  it('cookies are set and cleared with their attributes and without a domain', async () => {
    const answer = await post('/cookies', '');

    expect(answer.headers.getSetCookie()).toEqual([
      'refresh_token=a.b-c_d; Max-Age=60; Path=/token; HttpOnly; Secure; SameSite=Strict',
      'SESSION=; Max-Age=0; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; Secure; SameSite=Strict',
    ]);
  });

  it('the first of two cookies with the same name is used', async () => {
    const answer = await post('/cookies', '', { cookie: 'SESSION=ours; other=1; SESSION=theirs' });

    expect(await answer.json()).toEqual({ SESSION: 'ours', other: '1' });
  });

  it.each(['', ';;;', '=', 'a', '__proto__=x; constructor=y', `a=${'%'.repeat(2000)}`, 'a=b; '.repeat(2000)])(
    'a malformed Cookie header is tolerated: %.30s',
    async (cookie) => {
      expect((await post('/cookies', '', { cookie })).status).toBe(200);
    },
  );
});

describe('responses that are not JSON', () => {
  it('an image is sent unchanged', async () => {
    const png = await get('/pixel.png');
    const svg = await get('/picture.svg');

    expect(png.headers.get('content-type')).toBe('image/png');
    expect(Buffer.from(await png.arrayBuffer())).toEqual(PIXEL);
    expect(svg.headers.get('content-type')).toBe('image/svg+xml');
    expect(await svg.text()).toBe('<svg/>');
  });

  it('an unsupported Accept header gets 406', async () => {
    expect((await get('/pixel.png', { accept: 'image/*' })).status).toBe(200);
    expect((await problemOf(await get('/pixel.png', { accept: JSON_TYPE }))).code).toBe('NOT_ACCEPTABLE');
    expect((await get('/facts', { accept: 'text/html' })).status).toBe(406);
    expect((await get('/facts', { accept: 'text/html, */*;q=0.1' })).status).toBe(200);
  });
});

describe('context path', () => {
  let mounted: EchoService;

  beforeAll(async () => {
    mounted = await startEchoService({ contextPath: '/auth' });
  });

  afterAll(() => mounted.stop());

  it('routes are served below the context path, and errors name the whole path', async () => {
    expect((await fetch(`${mounted.url}/facts?a=1`)).status).toBe(200);
    expect((await fetch(`${mounted.url}/plain`)).status).toBe(200);
    expect(await problemOf(await fetch(`${mounted.url}/nowhere?a=1`))).toMatchObject({ instance: '/auth/nowhere' });
    expect((await fetch(`${mounted.url}/note`)).headers.get('allow')).toBe('POST, OPTIONS');
  });

  it('a path outside the context path gets 404', async () => {
    for (const path of ['/facts', '/', '/authfacts', '/auth/auth/facts', '/AUTH/facts', '/%61uth/facts']) {
      const answer = await fetch(new URL(path, mounted.url));

      expect(answer.status, path).toBe(404);
      expect((await problemOf(answer)).instance).toBe(path);
    }
  });
});

describe('CORS', () => {
  const site = 'https://portal.example';
  let open: EchoService;

  beforeAll(async () => {
    open = await startEchoService({ allowedOrigins: [site] });
  });

  afterAll(() => open.stop());

  function ask(url: string, method: string, headers: Record<string, string>): Promise<Response> {
    return fetch(url, { method, headers });
  }

  it('an allowed origin may read responses, including errors', async () => {
    const answer = await ask(`${open.url}/facts`, 'GET', { origin: site });
    const refusal = await ask(`${open.url}/refused/ACCESS_DENIED`, 'GET', { origin: site });

    for (const { headers } of [answer, refusal]) {
      expect(headers.get('access-control-allow-origin')).toBe(site);
      expect(headers.get('access-control-allow-credentials')).toBe('true');
      expect(headers.get('vary')).toMatch(/origin/i);
    }
  });

  it('a preflight from an allowed origin gets the permitted headers', async () => {
    const { status, headers } = await ask(`${open.url}/note`, 'OPTIONS', {
      origin: site,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type, x-other',
    });

    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe(site);
    expect(headers.get('access-control-allow-headers')).toBe('authorization, content-type, x-request-id');
    expect(headers.get('x-request-id')).toBeTruthy();
  });

  it.each(['https://portal.example.evil', 'http://portal.example', 'https://PORTAL.example', 'null', '*'])(
    'H9: the origin %s gets no Access-Control headers and is not echoed',
    async (origin) => {
      const asked = await ask(`${open.url}/note`, 'OPTIONS', { origin, 'access-control-request-method': 'POST' });
      const answers = [asked, await ask(`${open.url}/facts`, 'GET', { origin })];

      for (const { headers } of answers) {
        expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
        expect(JSON.stringify([...headers])).not.toContain(origin === '*' ? '"*"' : origin);
      }
      expect(asked.headers.get('allow')).toBe('POST, OPTIONS');
    },
  );

  it('H9: no Access-Control headers are sent if no origin is allowed', async () => {
    const { headers } = await ask(`${service.url}/facts`, 'GET', { origin: site });

    expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });
});
