import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, HttpClient, type RequestOptions } from '../support/http-client.js';
import { type ManagementService, OPERATOR, startManagement } from '../support/management-service.js';
import { SampleEndpoints } from '../support/sample-endpoints.js';
import '../support/matchers.js';

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

/** Sends what an operator sends. */
function send(method: string, path: string, { headers, ...options }: RequestOptions = {}): Promise<Answer> {
  return new HttpClient(service.managementUrl).send(method, path, { ...options, headers: { ...OPERATOR, ...headers } });
}

const get = (path: string, accept?: string): Promise<Answer> =>
  send('GET', path, { headers: accept === undefined ? {} : { accept } });
const typeOf = ({ headers }: Answer): string | null => headers.get('content-type');

describe('the media type of an answer', () => {
  it.each([
    ['nothing', undefined, V3],
    ['everything', '*/*', V3],
    ['any application', 'application/*', V3],
    ['the plain type', JSON_TYPE, JSON_TYPE],
    ['the second version', V2, V2],
    ['the third version', V3, V3],
    ['all of a console', `${V3},${V2},application/vnd.spring-boot.actuator.v1+json,${JSON_TYPE}`, V3],
    ['the plain type most', `${JSON_TYPE};q=0.9, ${V2};q=0.5`, JSON_TYPE],
    ['the plain type, and everything else as well', `${JSON_TYPE}, text/plain, */*`, V3],
    ['the plain type before everything else', `${JSON_TYPE}, text/plain, */*;q=0.8`, JSON_TYPE],
    ['everything but the third version', `*/*, ${V3};q=0`, V2],
    ['a character set', 'application/json;charset=UTF-8', JSON_TYPE],
    ['no media type at all', 'nonsense', V3],
    ['an empty text', '', V3],
  ])('follows an Accept of %s', async (_, accept, type) => {
    const answer = await get('/env', accept);

    expect(answer).toBeAnswered(200);
    expect(typeOf(answer)).toBe(type);
    expect(answer.body['mediaType']).toBe(type);
  });

  it.each(['text/html', 'image/*', `${V3};q=0, ${V2};q=0, ${JSON_TYPE};q=0`, '*/*;q=0'])(
    'is none of %s',
    async (accept) => {
      expect(await get('/env', accept)).toBeRefused(406, 'NOT_ACCEPTABLE');
    },
  );

  it('is another one where an operation produces it, and the caller wants it', async () => {
    const [text, json, any] = await Promise.all(
      ['text/plain', JSON_TYPE, '*/*'].map((type) => get('/threaddump', type)),
    );

    expect([text, json, any].map((answer) => answer && typeOf(answer))).toEqual([TEXT, JSON_TYPE, V3]);
    expect(text?.text).toBe('"main"');
    expect(await get('/logfile', JSON_TYPE)).toBeRefused(406, 'NOT_ACCEPTABLE');
    expect(await get('/logfile', 'text/*')).toMatchObject({ status: 200, text: 'one line\n' });
  });

  it('does not matter where nothing is answered', async () => {
    const answer = await send('POST', '/loggers/auth', { json: {}, headers: { accept: 'text/html' } });

    expect(answer).toMatchObject({ status: 204, text: '' });
    expect(typeOf(answer)).toBeNull();
  });
});

it('leaves out members that have no value', async () => {
  expect((await get('/info')).text).toBe('{"is":1}');
});

describe('a body', () => {
  const post = (options: RequestOptions): Promise<Answer> => send('POST', '/loggers/auth', options);

  it.each([V3, V2, JSON_TYPE, 'application/json;charset=UTF-8', `${V3}; charset=utf-8`, V2.toUpperCase()])(
    'may be %s',
    async (type) => {
      const members = { level: 'DEBUG', none: null, count: 1, is: true };

      const answer = await post({ raw: JSON.stringify(members), headers: { 'content-type': type } });

      expect(answer).toMatchObject({ status: 204, text: '' });
      expect(samples.asked.at(-1)).toMatchObject({ selector: 'auth', body: members, caller: { name: 'operator' } });
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
  ])('is refused as %s', async (type) => {
    expect(await post({ raw: '{}', headers: { 'content-type': type } })).toBeRefused(415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it.each([
    ['UTF-16', Buffer.from('{"level":"DEBUG"}', 'utf16le')],
    ['another character set than UTF-8', Buffer.from('{"level":"é"}', 'latin1')],
    ['UTF-8 with a byte order mark', Buffer.from('\ufeff{"level":"DEBUG"}')],
  ])('is refused in %s', async (_, raw) => {
    const answer = await post({ raw, headers: { 'content-type': V3 } });

    expect(answer).toBeRefused(400, 'VALIDATION_FAILED');
  });

  it('is refused without a media type, and so is none: a foreign page could send that', async () => {
    const answers = [await post({ raw: '{}' }), await post({}), await post({ headers: { 'x-requested-with': 'x' } })];

    for (const answer of answers) expect(answer).toBeRefused(415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it('may be none with the media type', async () => {
    const answer = await post({ headers: { 'content-type': JSON_TYPE } });

    expect(answer.status).toBe(204);
    expect(samples.asked.at(-1)?.body).toEqual({});
  });

  it.each([
    ['a list', '[]'],
    ['a text', '"DEBUG"'],
    ['null', 'null'],
    ['a number', '1'],
    ['an object inside', '{"configuredLevel":{"a":1}}'],
    ['a list inside', '{"configuredLevel":["DEBUG"]}'],
    ['a member twice', '{"a":1,"a":2}'],
    ['half of one', '{"a":'],
    ['M4 __proto__', '{"__proto__":"DEBUG"}'],
  ])('is refused as %s', async (_, raw) => {
    const before = samples.asked.length;

    expect(await post({ raw, headers: { 'content-type': V3 } })).toBeRefused(400, 'VALIDATION_FAILED');
    expect(samples.asked).toHaveLength(before);
  });

  it('names the members that are nested', async () => {
    const { body } = await post({ json: { flat: 1, list: [], object: {} } });

    expect(body['errors']).toEqual([
      { field: 'list', code: 'type' },
      { field: 'object', code: 'type' },
    ]);
  });

  it('over its limit is 413', async () => {
    expect(await post({ json: { a: 'x'.repeat(64 * 1024) } })).toBeRefused(413, 'PAYLOAD_TOO_LARGE');
  });

  it('of a vendor type is taken by no other route', async () => {
    const answer = await new HttpClient(service.url).send('POST', '/login', {
      raw: '{}',
      headers: { 'content-type': V3 },
    });

    expect(answer).toBeRefused(415, 'UNSUPPORTED_MEDIA_TYPE');
  });
});

describe('a call that has no parameters', () => {
  it.each([
    ['the media type of JSON', { 'content-type': JSON_TYPE }, 200],
    ['the header a console sends, which no foreign page can', { 'x-requested-with': 'XMLHttpRequest' }, 200],
    ['neither', {}, 415],
  ])('with %s is answered %i', async (_, headers, status) => {
    expect(await send('POST', '/shutdown', { headers })).toBeAnswered(status);
  });
});

describe('the status', () => {
  it('is 200 for a read, 204 and empty for a write or delete that answers nothing, 200 for one that does', async () => {
    expect(await get('/loggers/auth')).toBeAnswered(200);
    expect(await send('DELETE', '/caches/users')).toMatchObject({ status: 204, text: '' });
    expect(await send('DELETE', '/caches')).toMatchObject({ status: 204, text: '' });
    expect(await send('POST', '/shutdown', { json: {} })).toMatchObject({ status: 200, body: { message: 'bye' } });
  });

  it('is 404 with an empty body for a name that does not exist', async () => {
    const answer = await get('/loggers/unknown');

    expect(answer).toMatchObject({ status: 404, text: '' });
    expect(typeOf(answer)).toBeNull();
    expect(answer.headers.get('content-length')).toBe('0');
  });

  it.each(['/heapdump', '/nothing', '/loggers/a/b', '/env/a/b'])(
    'is 404 with a problem where nothing is: %s',
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
  ])('is 405 for %s %s, with what is offered', async (method, path, allow) => {
    const answer = await send(method, path, { headers: { 'content-type': JSON_TYPE } });

    expect(answer).toBeRefused(405, 'METHOD_NOT_ALLOWED');
    expect(answer.headers.get('allow')).toBe(allow);
  });

  it('is never kept by anybody', async () => {
    const answers = [await get('/env'), await get('/loggers/unknown'), await send('POST', '/loggers/a', { json: {} })];

    expect(answers.map(({ headers }) => headers.get('cache-control'))).toEqual(['no-store', 'no-store', 'no-store']);
  });
});

describe('OPTIONS', () => {
  it.each([
    ['/env', 'GET, HEAD, OPTIONS'],
    ['/env/a.b', 'GET, HEAD, OPTIONS'],
    ['/loggers/auth/', 'GET, HEAD, POST, OPTIONS'],
    ['/caches', 'GET, HEAD, DELETE, OPTIONS'],
    ['/shutdown', 'POST, OPTIONS'],
    ['', 'GET, HEAD, OPTIONS'],
  ])('of %s names exactly %s', async (path, allow) => {
    const answer = await send('OPTIONS', path);

    expect(Math.floor(answer.status / 100)).toBe(2);
    expect(answer.headers.get('allow')).toBe(allow);
  });

  it('of what is not exposed is 404', async () => {
    expect(await send('OPTIONS', '/heapdump')).toBeRefused(404, 'NOT_FOUND');
  });
});

it.each(['/env', '/loggers/auth', '/loggers/unknown', '/threaddump', '/logfile', '/health', ''])(
  'HEAD %s answers like GET, without a body',
  async (path) => {
    const [asGet, asHead] = [await get(path), await send('HEAD', path)];

    expect(asHead).toMatchObject({ status: asGet.status, text: '' });
    for (const name of ['content-type', 'cache-control', 'x-part']) {
      expect(asHead.headers.get(name), name).toBe(asGet.headers.get(name));
    }
  },
);

describe('a path', () => {
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
  ])('%s asks for %j', async (path, selector) => {
    expect((await get(path)).body['selector']).toBe(selector);
  });

  it('may have a query of names that nobody knows', async () => {
    expect(await get('/env?nothing=1&nothing=2')).toBeAnswered(200);
  });

  it('is matched with one slash at its end, not with two', async () => {
    expect(await get('/env//')).toBeRefused(404, 'NOT_FOUND');
    // What takes all that is left sees them as names.
    expect((await get('/health//')).body['selector']).toBe('/');
    expect((await get('/health/db//')).body['selector']).toBe('db/');
  });
});

describe('a request that another site makes a browser send', () => {
  const foreign = { 'sec-fetch-site': 'cross-site', 'content-type': JSON_TYPE };

  it.each([
    ['POST', '/loggers/auth'],
    ['DELETE', '/caches'],
    ['POST', '/shutdown'],
  ])('is refused where it changes something: %s %s', async (method, path) => {
    const before = samples.asked.length;

    expect(await send(method, path, { headers: foreign })).toBeRefused(403, 'CROSS_SITE');
    expect(samples.asked).toHaveLength(before);
  });

  it('may read, which no script of that site can see', async () => {
    expect(await send('GET', '/env', { headers: foreign })).toBeAnswered(200);
  });

  it.each(['same-origin', 'none'])('is none with %s, whatever its origin', async (site) => {
    const headers = { 'sec-fetch-site': site, origin: 'https://console.example' };

    expect(await send('POST', '/loggers/auth', { json: {}, headers })).toBeAnswered(204);
  });
});

describe('checks', () => {
  it('tell strangers that they are strangers, whatever else is wrong with what they send', async () => {
    const client = new HttpClient(service.managementUrl);

    const answers = [
      await client.get('/env', { headers: { accept: 'text/html' } }),
      await client.send('POST', '/loggers/auth', {}),
      await client.post('/loggers/auth', { nested: {} }),
    ];

    for (const answer of answers) expect(answer).toBeRefused(401, 'INVALID_TOKEN');
  });
});
