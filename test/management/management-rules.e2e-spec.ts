import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, HttpClient, type RequestOptions } from '../support/http/http-client.js';
import { type ManagementService, OPERATOR, startManagement } from '../support/management/management-service.js';
import { SampleEndpoints } from '../support/management/sample-endpoints.js';
import '../support/runner/matchers.js';

const V3 = 'application/vnd.spring-boot.actuator.v3+json';
const V2 = 'application/vnd.spring-boot.actuator.v2+json';
const JSON_TYPE = 'application/json';
const TEXT = 'text/plain;charset=UTF-8';

const samples = new SampleEndpoints();
let service: ManagementService;

beforeAll(async () => {
  service = await startManagement(samples.all, ['--management.endpoint.shutdown.access=unrestricted']);
});

afterAll(() => service.stop());

/** Sends a request with the credentials of the Basic account. */
function send(method: string, path: string, { headers, ...options }: RequestOptions = {}): Promise<Answer> {
  return new HttpClient(service.managementUrl).send(method, path, { ...options, headers: { ...OPERATOR, ...headers } });
}

const get = (path: string, accept?: string): Promise<Answer> =>
  send('GET', path, { headers: accept === undefined ? {} : { accept } });
const typeOf = ({ headers }: Answer): string | null => headers.get('content-type');

describe('response media types', () => {
  it.each([
    ['no Accept header', undefined, V3],
    ['Accept: */*', '*/*', V3],
    ['Accept: application/*', 'application/*', V3],
    ['Accept: application/json', JSON_TYPE, JSON_TYPE],
    ['the v2 vendor type', V2, V2],
    ['the v3 vendor type', V3, V3],
    ['the Accept header of a console', `${V3},${V2},application/vnd.spring-boot.actuator.v1+json,${JSON_TYPE}`, V3],
    ['application/json above the v2 vendor type', `${JSON_TYPE};q=0.9, ${V2};q=0.5`, JSON_TYPE],
    ['application/json beside */*', `${JSON_TYPE}, text/plain, */*`, V3],
    ['application/json above */*', `${JSON_TYPE}, text/plain, */*;q=0.8`, JSON_TYPE],
    ['everything but the v3 vendor type', `*/*, ${V3};q=0`, V2],
    ['application/json with a charset', 'application/json;charset=UTF-8', JSON_TYPE],
    ['an invalid Accept header', 'nonsense', V3],
    ['an empty Accept header', '', V3],
  ])('the media type is negotiated from %s', async (_, accept, type) => {
    const answer = await get('/env', accept);

    expect(answer).toBeAnswered(200);
    expect(typeOf(answer)).toBe(type);
    expect(answer.body['mediaType']).toBe(type);
  });

  it.each(['text/html', 'image/*', `${V3};q=0, ${V2};q=0, ${JSON_TYPE};q=0`, '*/*;q=0'])(
    'Accept: %s is rejected with 406',
    async (accept) => {
      expect(await get('/env', accept)).toBeRefused(406, 'NOT_ACCEPTABLE');
    },
  );

  it('text/plain is returned where an operation produces it and Accept asks for it', async () => {
    const [text, json, any] = await Promise.all(
      ['text/plain', JSON_TYPE, '*/*'].map((type) => get('/threaddump', type)),
    );

    expect([text, json, any].map((answer) => answer && typeOf(answer))).toEqual([TEXT, JSON_TYPE, V3]);
    expect(text?.text).toBe('"main"');
    expect(await get('/logfile', JSON_TYPE)).toBeRefused(406, 'NOT_ACCEPTABLE');
    expect(await get('/logfile', 'text/*')).toMatchObject({ status: 200, text: 'one line\n' });
  });

  it('Accept is ignored when the response has no body', async () => {
    const answer = await send('POST', '/loggers/auth', { json: {}, headers: { accept: 'text/html' } });

    expect(answer).toMatchObject({ status: 204, text: '' });
    expect(typeOf(answer)).toBeNull();
  });
});

it('management responses omit members without a value', async () => {
  expect((await get('/info')).text).toBe('{"is":1}');
});

describe('management request bodies', () => {
  const post = (options: RequestOptions): Promise<Answer> => send('POST', '/loggers/auth', options);

  it.each([V3, V2, JSON_TYPE, 'application/json;charset=UTF-8', `${V3}; charset=utf-8`, V2.toUpperCase()])(
    'a body of type %s is accepted',
    async (type) => {
      const members = { level: 'DEBUG', none: null, count: 1, is: true };

      const answer = await post({ raw: JSON.stringify(members), headers: { 'content-type': type } });

      expect(answer).toMatchObject({ status: 204, text: '' });
      expect(samples.requests.at(-1)).toMatchObject({
        selector: 'auth',
        body: members,
        operator: { name: 'operator' },
      });
    },
  );

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/merge-patch+json',
    'application/vnd.spring-boot.actuator.v1+json',
    'application/json, text/plain',
    'application/json; charset=utf-16',
    'application/json;charset=latin1',
    `${V3}; charset="iso-8859-1"`,
    'application/json; charset=',
  ])('a body of type %s is rejected with 415', async (type) => {
    expect(await post({ raw: '{}', headers: { 'content-type': type } })).toBeRefused(415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it.each([
    ['UTF-16', Buffer.from('{"level":"DEBUG"}', 'utf16le')],
    ['another character set than UTF-8', Buffer.from('{"level":"é"}', 'latin1')],
  ])('a body in %s is rejected', async (_, raw) => {
    const answer = await post({ raw, headers: { 'content-type': V3 } });

    expect(answer).toBeRefused(400, 'VALIDATION_FAILED');
  });

  it('A5: a body in UTF-8 with a byte order mark is accepted', async () => {
    const answer = await post({ raw: '\ufeff{"level":"DEBUG"}', headers: { 'content-type': V3 } });

    expect(answer.status).toBe(204);
    expect(samples.requests.at(-1)?.body).toEqual({ level: 'DEBUG' });
  });

  it('a write without a content type is rejected, because a cross-site form can send it', async () => {
    const answers = [await post({ raw: '{}' }), await post({}), await post({ headers: { 'x-requested-with': 'x' } })];

    for (const answer of answers) expect(answer).toBeRefused(415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it('an empty body with a JSON content type is accepted', async () => {
    const answer = await post({ headers: { 'content-type': JSON_TYPE } });

    expect(answer.status).toBe(204);
    expect(samples.requests.at(-1)?.body).toEqual({});
  });

  it.each([
    ['a list', '[]'],
    ['a string', '"DEBUG"'],
    ['null', 'null'],
    ['a number', '1'],
    ['a nested object', '{"configuredLevel":{"a":1}}'],
    ['a nested list', '{"configuredLevel":["DEBUG"]}'],
    ['a duplicate member', '{"a":1,"a":2}'],
    ['truncated JSON', '{"a":'],
    ['M4: a member named __proto__', '{"__proto__":"DEBUG"}'],
  ])('%s gets 400 before the endpoint runs', async (_, raw) => {
    const before = samples.requests.length;

    expect(await post({ raw, headers: { 'content-type': V3 } })).toBeRefused(400, 'VALIDATION_FAILED');
    expect(samples.requests).toHaveLength(before);
  });

  it('the error names every nested member of the body', async () => {
    const { body } = await post({ json: { flat: 1, list: [], object: {} } });

    expect(body['errors']).toEqual([
      { field: 'list', code: 'type' },
      { field: 'object', code: 'type' },
    ]);
  });

  it('a body above the size limit is rejected with 413', async () => {
    expect(await post({ json: { a: 'x'.repeat(64 * 1024) } })).toBeRefused(413, 'PAYLOAD_TOO_LARGE');
  });

  it('POST /login rejects the vendor media type', async () => {
    const answer = await new HttpClient(service.url).send('POST', '/login', {
      raw: '{}',
      headers: { 'content-type': V3 },
    });

    expect(answer).toBeRefused(415, 'UNSUPPORTED_MEDIA_TYPE');
  });
});

describe('operations without parameters', () => {
  it.each([
    ['a JSON content type', { 'content-type': JSON_TYPE }, 200],
    ['X-Requested-With, which a cross-site form cannot send', { 'x-requested-with': 'XMLHttpRequest' }, 200],
    ['neither header', {}, 415],
  ])('a call with %s gets status %i', async (_, headers, status) => {
    expect(await send('POST', '/shutdown', { headers })).toBeAnswered(status);
  });
});

describe('response statuses', () => {
  it('operations with a result return 200, and those without one an empty 204', async () => {
    expect(await get('/loggers/auth')).toBeAnswered(200);
    expect(await send('DELETE', '/caches/users')).toMatchObject({ status: 204, text: '' });
    expect(await send('DELETE', '/caches')).toMatchObject({ status: 204, text: '' });
    expect(await send('POST', '/shutdown', { json: {} })).toMatchObject({ status: 200, body: { message: 'bye' } });
  });

  it('an unknown name gets 404 with an empty body', async () => {
    const answer = await get('/loggers/unknown');

    expect(answer).toMatchObject({ status: 404, text: '' });
    expect(typeOf(answer)).toBeNull();
    expect(answer.headers.get('content-length')).toBe('0');
  });

  it.each(['/heapdump', '/nothing', '/loggers/a/b', '/env/a/b'])(
    'the unknown path %s gets 404 with a problem document',
    async (path) => {
      expect(await get(path)).toBeRefused(404, 'NOT_FOUND');
    },
  );

  it.each([
    ['POST', '/env', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/loggers/auth', 'GET, HEAD, POST, OPTIONS'],
    ['PUT', '/caches/users', 'GET, HEAD, DELETE, OPTIONS'],
    ['GET', '/shutdown', 'POST, OPTIONS'],
    ['PATCH', '/health/db/deep', 'GET, HEAD, OPTIONS'],
  ])('%s %s gets 405 with the allowed methods', async (method, path, allow) => {
    const answer = await send(method, path, { headers: { 'content-type': JSON_TYPE } });

    expect(answer).toBeRefused(405, 'METHOD_NOT_ALLOWED');
    expect(answer.headers.get('allow')).toBe(allow);
  });

  it('every response carries Cache-Control: no-store', async () => {
    const answers = [await get('/env'), await get('/loggers/unknown'), await send('POST', '/loggers/a', { json: {} })];

    expect(answers.map(({ headers }) => headers.get('cache-control'))).toEqual(['no-store', 'no-store', 'no-store']);
  });
});

describe('OPTIONS requests', () => {
  it.each([
    ['/env', 'GET, HEAD, OPTIONS'],
    ['/env/a.b', 'GET, HEAD, OPTIONS'],
    ['/loggers/auth/', 'GET, HEAD, POST, OPTIONS'],
    ['/caches', 'GET, HEAD, DELETE, OPTIONS'],
    ['/shutdown', 'POST, OPTIONS'],
    ['', 'GET, HEAD, OPTIONS'],
  ])('OPTIONS /actuator%s allows exactly %s', async (path, allow) => {
    const answer = await send('OPTIONS', path);

    expect(Math.floor(answer.status / 100)).toBe(2);
    expect(answer.headers.get('allow')).toBe(allow);
  });

  it('OPTIONS of an endpoint that is not exposed returns 404', async () => {
    expect(await send('OPTIONS', '/heapdump')).toBeRefused(404, 'NOT_FOUND');
  });
});

it.each(['/env', '/loggers/auth', '/loggers/unknown', '/threaddump', '/logfile', '/health', ''])(
  'HEAD /actuator%s returns the status and headers of GET without a body',
  async (path) => {
    const [asGet, asHead] = [await get(path), await send('HEAD', path)];

    expect(asHead).toMatchObject({ status: asGet.status, text: '' });
    for (const name of ['content-type', 'cache-control', 'x-part']) {
      expect(asHead.headers.get(name), name).toBe(asGet.headers.get(name));
    }
  },
);

describe('selectors in paths', () => {
  it.each([
    ['/loggers/', ''],
    ['/loggers/auth.mfa', 'auth.mfa'],
    ['/loggers/auth.mfa/', 'auth.mfa'],
    ['/loggers/a%2Fb', 'a/b'],
    ['/loggers/a%2F', 'a/'],
    ['/loggers/%ED%95%9C', '한'],
    ['/loggers/a%20b%3Fc', 'a b?c'],
    ['/env/http.server.requests', 'http.server.requests'],
    ['/health/db/deep', 'db/deep'],
    ['/health/db/deep/', 'db/deep'],
    ['/health/', ''],
  ])('%s selects %j', async (path, selector) => {
    expect((await get(path)).body['selector']).toBe(selector);
  });

  it('unknown query parameters are ignored', async () => {
    expect(await get('/env?nothing=1&nothing=2')).toBeAnswered(200);
  });

  it('a path may end with one slash but not with two', async () => {
    expect(await get('/env//')).toBeRefused(404, 'NOT_FOUND');
    // A selector for the rest of the path contains the slashes.
    expect((await get('/health//')).body['selector']).toBe('/');
    expect((await get('/health/db//')).body['selector']).toBe('db/');
  });
});

describe('cross-site requests', () => {
  const foreign = { 'sec-fetch-site': 'cross-site', 'content-type': JSON_TYPE };

  it.each([
    ['POST', '/loggers/auth'],
    ['DELETE', '/caches'],
    ['POST', '/shutdown'],
  ])('the cross-site write %s %s is rejected', async (method, path) => {
    const before = samples.requests.length;

    expect(await send(method, path, { headers: foreign })).toBeRefused(403, 'CROSS_SITE');
    expect(samples.requests).toHaveLength(before);
  });

  it('a cross-site read is allowed, because no script can see its response', async () => {
    expect(await send('GET', '/env', { headers: foreign })).toBeAnswered(200);
  });

  it.each(['same-origin', 'none'])('Sec-Fetch-Site: %s is accepted with any Origin', async (site) => {
    const headers = { 'sec-fetch-site': site, origin: 'https://console.example' };

    expect(await send('POST', '/loggers/auth', { json: {}, headers })).toBeAnswered(204);
  });
});

describe('the order of checks', () => {
  it('authentication is checked before media types and bodies', async () => {
    const client = new HttpClient(service.managementUrl);

    const answers = [
      await client.get('/env', { headers: { accept: 'text/html' } }),
      await client.send('POST', '/loggers/auth', {}),
      await client.post('/loggers/auth', { nested: {} }),
    ];

    for (const answer of answers) expect(answer).toBeRefused(401, 'INVALID_TOKEN');
  });
});
