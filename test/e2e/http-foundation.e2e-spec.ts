import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STATUS } from '../../src/errors/error-code.js';
import { PIXEL } from '../support/echo.controller.js';
import { type EchoService, startEchoService } from '../support/echo-service.js';
import { sendRaw } from '../support/raw-http.js';

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

describe('every answer', () => {
  it.each([
    ['a success', 'GET', '/facts'],
    ['a route that is no controller', 'GET', '/plain'],
    ['a refusal', 'GET', '/refused/ACCESS_DENIED'],
    ['a defect', 'GET', '/defect'],
    ['an unknown path', 'GET', '/nowhere'],
    ['an unknown method', 'DELETE', '/facts'],
    ['a path that cannot be decoded', 'GET', '/%zz'],
    ['a query that cannot be decoded', 'GET', '/facts?a=%ff'],
    ['a wrong body', 'POST', '/note'],
    ['OPTIONS', 'OPTIONS', '/facts'],
  ])('has the headers of the contract: %s', async (_, method, path) => {
    const { headers } = await fetch(service.url + path, { method });

    for (const name of HEADERS) expect(headers.get(name), name).toBeTruthy();
    expect(headers.get('api-version')).toBe('1');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('strict-transport-security')).toBeNull();
  });

  it('has them too where the request could not be read', async () => {
    const { text } = await sendRaw(service.url, 'NONSENSE\r\n\r\n');

    for (const name of HEADERS) expect(text).toContain(`\r\n${name}: `);
  });

  it('keeps a request id of the agreed form, and makes one where there is none', async () => {
    const kept = await get('/facts', { 'x-request-id': 'Az09._-8' });
    const made = await Promise.all(
      ['short77', 'x'.repeat(65), 'has space', 'semi;colon'].map((id) => get('/facts', { 'x-request-id': id })),
    );

    expect(kept.headers.get('x-request-id')).toBe('Az09._-8');
    for (const { headers } of made) expect(headers.get('x-request-id')).toMatch(/^[\w-]{22}$/);
    expect(new Set(made.map(({ headers }) => headers.get('x-request-id'))).size).toBe(4);
  });

  it('lets a route say how long it may be kept, but not an error of that route', async () => {
    const kept = await get('/keys');
    const failed = await get('/keys?fail=1');

    expect(kept.headers.get('cache-control')).toBe('max-age=300');
    expect(failed.status).toBe(503);
    expect(failed.headers.get('cache-control')).toBe('no-store');
  });
});

it('a handler knows who asked, also behind an await and behind a body', async () => {
  const headers = { 'x-request-id': 'request-77', 'user-agent': 'x'.repeat(300) };
  const expected = { requestId: 'request-77', ip: '127.0.0.1', agent: 'x'.repeat(255) };

  expect(await (await get('/facts', headers)).json()).toEqual(expected);
  expect(await (await post('/facts', {}, headers)).json()).toEqual(expected);
});

it('requests at the same time do not mix up who asked', async () => {
  const ids = Array.from({ length: 50 }, (_, index) => `request-${index}`);

  const facts = await Promise.all(
    ids.map(async (id): Promise<unknown> => (await get('/facts', { 'x-request-id': id })).json()),
  );

  expect(facts.map((fact) => (fact as { requestId: string }).requestId)).toEqual(ids);
});

describe('an error', () => {
  it.each(Object.entries(STATUS))('%s is answered with %i, its code, and never its reason', async (code, status) => {
    const answer = await get(`/refused/${code}?secret=1`);
    const text = await answer.clone().text();

    expect(answer.status).toBe(status);
    expect(await problemOf(answer)).toMatchObject({ code, instance: `/refused/${code}` });
    expect(text).not.toMatch(/reason|secret=1/);
  });

  it('brings the headers of its code', async () => {
    expect((await get('/locked')).headers.get('retry-after')).toBe('300');
    expect((await get('/refused/UNAVAILABLE')).headers.get('retry-after')).toBe('1');
    expect((await get('/refused/INVALID_TOKEN')).headers.get('www-authenticate')).toBe('Bearer');
    expect((await get('/challenged')).headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    expect((await get('/refused/MFA_CODE_INVALID')).headers.get('www-authenticate')).toBeNull();
  });

  it('of a guard that only says no is ACCESS_DENIED', async () => {
    expect((await problemOf(await get('/denied'))).code).toBe('ACCESS_DENIED');
  });

  it('L4 that is a defect tells the caller nothing, and the operator everything', async () => {
    const answer = await get('/defect');
    const text = await answer.clone().text();
    const { request_id: id } = await problemOf(answer);

    expect(text).not.toMatch(/SELECT|passwd|TypeError|controller|node_modules| at /);
    const lines = service.complaints.filter((line) => line.includes(`[${id}]`));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /^ERROR server \[\S+\] INTERNAL_ERROR GET \/defect\nTypeError: SELECT secret\\u000a *FROM \/etc\/passwd\n {4}at /,
    );
  });

  it('that is not even an error is a defect, too', async () => {
    expect((await problemOf(await get('/no-error'))).code).toBe('INTERNAL_ERROR');
  });

  it('carries detail and trace where they are switched on', async () => {
    const talkative = await startEchoService({ errors: { includeMessage: 'always', includeStacktrace: 'always' } });
    const problem = (await (await fetch(`${talkative.url}/refused/ACCESS_DENIED`)).json()) as Problem;
    await talkative.stop();

    expect(problem.detail).toBe('Do not repeat the request as this user.');
    expect(problem.trace).toMatch(/^ServiceError\n\s+at EchoController\.refused/);
    expect(JSON.stringify(problem)).not.toContain('reason');
  });
});

describe('paths and methods', () => {
  it('H9 a known path with another method is 405 and says which there are', async () => {
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

  it('an unknown path is 404 whatever the method, and whatever the body', async () => {
    for (const method of ['GET', 'DELETE', 'OPTIONS', 'PATCH']) {
      expect((await fetch(`${service.url}/nowhere`, { method })).status).toBe(404);
    }
    expect((await post('/nowhere', '{"half":')).status).toBe(404);
    expect((await post('/nowhere', 'a=b', { 'content-type': 'text/plain' })).status).toBe(404);
  });

  it('HEAD answers like GET without a body', async () => {
    const answer = await fetch(`${service.url}/facts`, { method: 'HEAD' });

    expect(answer.status).toBe(200);
    expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(0);
    expect(await answer.text()).toBe('');
  });

  it('OPTIONS names the methods and asks for nothing', async () => {
    const answer = await fetch(`${service.url}/note`, { method: 'OPTIONS' });

    expect(answer.status).toBe(204);
    expect(answer.headers.get('allow')).toBe('POST, OPTIONS');
  });

  it.each(['TRACE', 'PROPFIND', 'CONNECTX', 'get'])('H9 the method %s is refused', async (method) => {
    const { statuses, text } = await sendRaw(
      service.url,
      `${method} /facts HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );

    expect(statuses).toHaveLength(1);
    expect([400, 405]).toContain(statuses[0]);
    expect(text).toContain('application/problem+json');
  });

  it('an empty path parameter is no parameter', async () => {
    expect((await get('/items/')).status).toBe(404);
  });

  it('H8 spellings of a path are other paths', async () => {
    for (const path of ['/Facts', '//facts', '/facts/', '/facts;a=b', '/x/../facts%2f', '/facts%00', '/./facts']) {
      const { statuses } = await sendRaw(service.url, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);

      expect(statuses, path).toHaveLength(1);
      expect([400, 404], path).toContain(statuses[0]);
    }
  });
});

describe('a JSON body', () => {
  it('is taken by its shape', async () => {
    const answer = await post('/note', { text: 'a', count: 3 }, { 'content-type': 'application/json; charset=UTF-8' });

    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ text: 'a', count: 3 });
  });

  it('H1 that does not fit is 400 with every member that does not', async () => {
    const problem = await problemOf(await post('/note', { text: 1, count: 10, tags: ['bad'], more: 1 }));

    expect(problem.code).toBe('VALIDATION_FAILED');
    expect(problem.errors).toEqual([
      { field: 'text', code: 'type' },
      { field: 'count', code: 'range' },
      { field: 'tags.0', code: 'too_short' },
      { field: 'more', code: 'unknown' },
    ]);
  });

  it('that is missing counts as one without members', async () => {
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
    'H1 that is %s and no object is 400',
    async (body) => {
      expect((await problemOf(await post('/note', body))).errors).toEqual([{ field: '', code: 'type' }]);
    },
  );

  it.each([
    ['H1 that is malformed', '{"text":'],
    ['H1 with a member twice', '{"text":"a","text":"a"}'],
    ['H2 with NUL', String.raw`{"text":"a\u0000"}`],
    ['H2 with a lone surrogate', String.raw`{"text":"\ud800"}`],
    ['H2 that is no UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d])],
    ['H4 with __proto__', '{"__proto__":{},"text":"a"}'],
    ['H5 of 30,000 levels', '['.repeat(30_000)],
  ])('%s is 400', async (_, body) => {
    expect((await problemOf(await post('/note', body))).code).toBe('VALIDATION_FAILED');
  });

  it.each([
    ['text', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': FORM_TYPE }],
    ['another JSON format', { 'content-type': 'application/merge-patch+json' }],
    ['another character set', { 'content-type': 'application/json; charset=latin1' }],
    ['no media type at all', { 'content-type': 'nonsense' }],
    ['compressed', { 'content-encoding': 'gzip' }],
    ['compressed by two', { 'content-encoding': 'identity, br' }],
  ])('H1 that is %s is 415', async (_, headers) => {
    expect((await problemOf(await post('/note', { text: 'a' }, headers))).code).toBe('UNSUPPORTED_MEDIA_TYPE');
  });

  it('H1 without a media type is 415', async () => {
    const { statuses } = await sendRaw(
      service.url,
      'POST /note HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}',
    );

    expect(statuses).toEqual([415]);
  });

  it('H1 to a route that takes none must be empty', async () => {
    expect((await fetch(`${service.url}/nothing`, { method: 'POST' })).status).toBe(204);
    expect((await post('/nothing', {})).status).toBe(204);
    for (const body of ['{"a":1}', '[]', 'null']) expect((await post('/nothing', body)).status).toBe(400);
  });
});

describe('a large request', () => {
  it('H5 of just 64 KB is read, and one byte more is 413', async () => {
    const fitting = JSON.stringify({ body: 'x'.repeat(64 * 1024 - 11) });

    expect(Buffer.byteLength(fitting)).toBe(64 * 1024);
    expect((await post('/any', fitting)).status).toBe(200);
    expect((await problemOf(await post('/any', `${fitting} `))).code).toBe('PAYLOAD_TOO_LARGE');
  });

  it.each(['keep-alive', 'close'])(
    'H5 of 8 MB is 413, and its sender reads that (Connection: %s)',
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

      // A connection that is kept serves the next request.
      const expected = isKept ? [413, 200] : [413];
      expect(sized.statuses).toEqual(expected);
      expect(chunked.statuses).toEqual(expected);
    },
  );

  it('H5 of 100 KB of headers is 431', async () => {
    const { statuses, text } = await sendRaw(
      service.url,
      `GET /plain HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`,
    );

    expect(statuses).toEqual([431]);
    expect(text).toContain('"code":"PAYLOAD_TOO_LARGE"');
  });
});

describe('H7 a message with unclear limits', () => {
  it.each([
    ['two lengths', 'Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}'],
    ['a length and chunks', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a bent coding', 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
    ['a coding behind chunked', 'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n'],
    ['a space before the colon', 'Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n'],
    ['a chunk of no size', 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n'],
    ['a negative length', 'Content-Length: -1\r\n\r\n'],
  ])('is refused once, and the connection closed: %s', async (_, rest) => {
    const next = 'GET /plain HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

    const { statuses } = await sendRaw(service.url, `POST /note HTTP/1.1\r\nHost: x\r\n${rest}`, next);

    expect(statuses).toEqual([400]);
  });

  it('is refused: lines that end with LF alone', async () => {
    const { statuses } = await sendRaw(service.url, 'GET /plain HTTP/1.1\nHost: x\nConnection: close\n\n');

    expect(statuses).toEqual([400]);
  });

  it.each(['Host: x\r\nHost: x', 'Host: x\r\nHOST: y'])('is refused: two hosts', async (hosts) => {
    const { statuses, text } = await sendRaw(
      service.url,
      `GET /plain HTTP/1.1\r\n${hosts}\r\nConnection: close\r\n\r\n`,
    );

    expect(statuses).toEqual([400]);
    expect(text).toContain('"code":"VALIDATION_FAILED"');
  });

  it.each(['2.0', '3.0', '0.9'])('is refused: HTTP/%s over a connection of HTTP/1', async (version) => {
    const { statuses, text } = await sendRaw(
      service.url,
      `GET /plain HTTP/${version}\r\nHost: a\r\nConnection: close\r\n\r\n`,
    );

    expect(statuses).toEqual([400]);
    expect(text).toMatch(/^x-request-id: /im);
    expect(text).toContain('"code":"VALIDATION_FAILED"');
  });

  it('is answered as usual: an expectation that nobody knows', async () => {
    const head = 'Host: x\r\nExpect: the-unexpected\r\nConnection: close\r\n';

    expect((await sendRaw(service.url, `GET /plain HTTP/1.1\r\n${head}\r\n`)).statuses).toEqual([200]);
  });

  it('is refused: HTTP/1.1 without Host', async () => {
    const { statuses, text } = await sendRaw(service.url, 'GET /plain HTTP/1.1\r\nConnection: close\r\n\r\n');

    expect(statuses).toEqual([400]);
    expect(text).toContain('"code":"VALIDATION_FAILED"');
  });
});

it('R8 a client that hangs up in the middle of its body is no defect', async () => {
  const before = service.complaints.length;
  const socket = connect(service.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`POST /note HTTP/1.1\r\nHost: x\r\nContent-Type: ${JSON_TYPE}\r\nContent-Length: 100\r\n\r\n{"half`);
  // The service has the half request in hand.
  await get('/plain');
  socket.destroy();
  await once(socket, 'close');
  await get('/plain');
  await setImmediate();

  expect(service.complaints).toHaveLength(before);
});

describe('a form', () => {
  it('is taken where the route asks for it, and nothing else is there', async () => {
    const taken = await post('/form', 'token=a%20b', { 'content-type': FORM_TYPE });

    expect(await taken.json()).toEqual({ token: 'a b' });
    expect((await post('/form', { token: 'a' })).status).toBe(415);
  });

  it('is judged by its shape like JSON', async () => {
    for (const body of ['token=a&token=b', 'token=%00', 'other=1', 'token=a&other=1', '']) {
      expect((await post('/form', body, { 'content-type': FORM_TYPE })).status, body).toBe(400);
    }
  });
});

describe('path parameters and queries', () => {
  it('are taken by their shapes', async () => {
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
  ])('that do not fit are 400: %s', async (path, field, code) => {
    expect((await problemOf(await get(path))).errors).toContainEqual({ field, code });
  });

  it('H2 with NUL or no UTF-8 are 400', async () => {
    for (const path of ['/items/a%00', '/items/a?after=%00', '/items/a?after=%ff', '/items/a?after=%ED%A0%80']) {
      expect((await problemOf(await get(path))).code, path).toBe('VALIDATION_FAILED');
    }
  });
});

describe('cookies', () => {
  it('are set and cleared with their attributes, and never with a domain', async () => {
    const answer = await post('/cookies', '');

    expect(answer.headers.getSetCookie()).toEqual([
      'refresh_token=a.b-c_d; Max-Age=60; Path=/token; HttpOnly; Secure; SameSite=Strict',
      'SESSION=; Max-Age=0; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; Secure; SameSite=Strict',
    ]);
  });

  it('of one name: the first counts, which is the one with the longest path', async () => {
    const answer = await post('/cookies', '', { cookie: 'SESSION=ours; other=1; SESSION=theirs' });

    expect(await answer.json()).toEqual({ SESSION: 'ours', other: '1' });
  });

  it.each(['', ';;;', '=', 'a', '__proto__=x; constructor=y', `a=${'%'.repeat(2000)}`, 'a=b; '.repeat(2000)])(
    'of any form are no defect: %.30s',
    async (cookie) => {
      expect((await post('/cookies', '', { cookie })).status).toBe(200);
    },
  );
});

describe('an answer that is no JSON', () => {
  it('goes out as it is', async () => {
    const png = await get('/pixel.png');
    const svg = await get('/picture.svg');

    expect(png.headers.get('content-type')).toBe('image/png');
    expect(Buffer.from(await png.arrayBuffer())).toEqual(PIXEL);
    expect(svg.headers.get('content-type')).toBe('image/svg+xml');
    expect(await svg.text()).toBe('<svg/>');
  });

  it('is 406 for who takes another form only', async () => {
    expect((await get('/pixel.png', { accept: 'image/*' })).status).toBe(200);
    expect((await problemOf(await get('/pixel.png', { accept: JSON_TYPE }))).code).toBe('NOT_ACCEPTABLE');
    expect((await get('/facts', { accept: 'text/html' })).status).toBe(406);
    expect((await get('/facts', { accept: 'text/html, */*;q=0.1' })).status).toBe(200);
  });
});

describe('below a context path', () => {
  let mounted: EchoService;

  beforeAll(async () => {
    mounted = await startEchoService({ contextPath: '/auth' });
  });

  afterAll(() => mounted.stop());

  it('every route is there, and errors name the whole path', async () => {
    expect((await fetch(`${mounted.url}/facts?a=1`)).status).toBe(200);
    expect((await fetch(`${mounted.url}/plain`)).status).toBe(200);
    expect(await problemOf(await fetch(`${mounted.url}/nowhere?a=1`))).toMatchObject({ instance: '/auth/nowhere' });
    expect((await fetch(`${mounted.url}/note`)).headers.get('allow')).toBe('POST, OPTIONS');
  });

  it('no route is there without it', async () => {
    for (const path of ['/facts', '/', '/authfacts', '/auth/auth/facts', '/AUTH/facts', '/%61uth/facts']) {
      const answer = await fetch(new URL(path, mounted.url));

      expect(answer.status, path).toBe(404);
      expect((await problemOf(answer)).instance).toBe(path);
    }
  });
});

describe('scripts of other sites', () => {
  const site = 'https://portal.example';
  let open: EchoService;

  beforeAll(async () => {
    open = await startEchoService({ allowedOrigins: [site] });
  });

  afterAll(() => open.stop());

  function ask(url: string, method: string, headers: Record<string, string>): Promise<Response> {
    return fetch(url, { method, headers });
  }

  it('of an allowed origin may read answers, refusals, too', async () => {
    const answer = await ask(`${open.url}/facts`, 'GET', { origin: site });
    const refusal = await ask(`${open.url}/refused/ACCESS_DENIED`, 'GET', { origin: site });

    for (const { headers } of [answer, refusal]) {
      expect(headers.get('access-control-allow-origin')).toBe(site);
      expect(headers.get('access-control-allow-credentials')).toBe('true');
      expect(headers.get('vary')).toMatch(/origin/i);
    }
  });

  it('of an allowed origin may ask before they send', async () => {
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
    'H9 of %s may not, and nothing of it is echoed',
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

  it('H9 may not at all where no origin is allowed', async () => {
    const { headers } = await ask(`${service.url}/facts`, 'GET', { origin: site });

    expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });
});
