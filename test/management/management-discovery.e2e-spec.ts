import { afterEach, describe, expect, it } from 'vitest';
import { type Answer, HttpClient, type RequestOptions } from '../support/http/http-client.js';
import { type ManagementService, OPERATOR, startManagement } from '../support/management/management-service.js';
import { SampleEndpoints } from '../support/management/sample-endpoints.js';
import '../support/runner/matchers.js';

const V3 = 'application/vnd.spring-boot.actuator.v3+json';
const V2 = 'application/vnd.spring-boot.actuator.v2+json';
const JSON_TYPE = 'application/json';
const EXPOSURE = '--management.endpoints.web.exposure';

let service: ManagementService;

afterEach(() => service.stop());

async function start(...args: readonly string[]): Promise<ManagementService> {
  service = await startManagement(new SampleEndpoints().all, args);
  return service;
}

/** Sends a request with the credentials of the Basic account. */
function send(url: string, method = 'GET', { headers, ...options }: RequestOptions = {}): Promise<Answer> {
  return new HttpClient(url).send(method, '', { ...options, headers: { ...OPERATOR, ...headers } });
}

function linksOf({ body }: Answer): Readonly<Record<string, { readonly href: string; readonly templated: boolean }>> {
  return body['_links'] as ReturnType<typeof linksOf>;
}

function namesOf(answer: Answer): readonly string[] {
  return Object.keys(linksOf(answer));
}

describe('the discovery endpoint', () => {
  it('links to every exposed and accessible endpoint under its contract name', async () => {
    const { managementUrl } = await start(`${EXPOSURE}.exclude=info`);

    const answer = await send(managementUrl);

    const link = (path: string): object => ({ href: managementUrl + path, templated: path.includes('{') });
    expect(answer).toBeAnswered(200);
    expect(answer.body).toEqual({
      _links: {
        self: link(''),
        health: link('/health'),
        'health-path': link('/health/{*path}'),
        env: link('/env'),
        'env-toMatch': link('/env/{toMatch}'),
        loggers: link('/loggers'),
        'loggers-name': link('/loggers/{name}'),
        caches: link('/caches'),
        'caches-cache': link('/caches/{cache}'),
        threaddump: link('/threaddump'),
        logfile: link('/logfile'),
      },
    });
  });

  it('rejects unauthenticated requests for the links', async () => {
    const { managementUrl } = await start();

    expect(await new HttpClient(managementUrl).get('')).toBeRefused(401, 'INVALID_TOKEN');
  });

  it('prefers the vendor media type whenever Accept admits it, because consoles discard any other', async () => {
    const { managementUrl } = await start();
    const typeFor = async (accept: string): Promise<string | null> =>
      (await send(managementUrl, 'GET', { headers: { accept } })).headers.get('content-type');

    for (const [accept, type] of [
      ['*/*', V3],
      [`${JSON_TYPE}, ${V3};q=0.1`, V3],
      [`${JSON_TYPE}, text/plain, */*`, V3],
      [`${JSON_TYPE}, ${V2}`, V2],
      ['application/*', V3],
      [JSON_TYPE, JSON_TYPE],
      ['text/html', 'application/problem+json;charset=UTF-8'],
    ] as const) {
      expect(await typeFor(accept), accept).toBe(type);
    }
  });

  it('links start with the request URL without its query and trailing slash', async () => {
    const { managementUrl } = await start('--server.servlet.context-path=/auth');

    const answer = await send(`${managementUrl}/?x=1`);

    expect(managementUrl).toMatch(/\/auth\/actuator$/);
    expect(linksOf(answer)['self']?.href).toBe(managementUrl);
    expect(linksOf(answer)['health-path']?.href).toBe(`${managementUrl}/health/{*path}`);
  });

  it('links use the Host header of the request', async () => {
    const { managementUrl } = await start();

    const answer = await send(managementUrl, 'GET', { headers: { host: 'ops.example:9090' } });

    expect(linksOf(answer)['self']?.href).toBe('http://ops.example:9090/actuator');
  });

  it.each([
    ['native', 'https://ops.example/actuator'],
    ['none', undefined],
  ])('forward-headers-strategy=%s decides whether links use the X-Forwarded headers', async (strategy, href) => {
    const { managementUrl } = await start(`--server.forward-headers-strategy=${strategy}`);

    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'ops.example' };
    const answer = await send(managementUrl, 'GET', { headers });

    expect(linksOf(answer)['self']?.href).toBe(href ?? managementUrl);
  });

  it('management.endpoints.web.discovery.enabled=false removes the links but not the endpoints', async () => {
    const { managementUrl } = await start('--management.endpoints.web.discovery.enabled=false');

    expect(await send(managementUrl)).toBeRefused(404, 'NOT_FOUND');
    expect(await send(`${managementUrl}/health`)).toBeAnswered(200);
  });
});

describe('endpoint exposure and access', () => {
  it('M1: an endpoint that is not exposed returns 404 and has no link', async () => {
    const { managementUrl } = await start(`${EXPOSURE}.include=health,LOGGERS`);

    for (const path of ['env', 'env/a', 'caches', 'caches/a', 'shutdown', 'threaddump', 'logfile', 'info']) {
      for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
        const answer = await send(`${managementUrl}/${path}`, method, { headers: { 'content-type': JSON_TYPE } });
        expect(answer, `${method} ${path}`).toBeRefused(404, 'NOT_FOUND');
      }
    }
    expect(namesOf(await send(managementUrl))).toEqual(['self', 'health', 'health-path', 'loggers', 'loggers-name']);
  });

  it('shutdown returns 404 and has no link by default', async () => {
    const { managementUrl } = await start();

    expect(await send(`${managementUrl}/shutdown`, 'POST', { json: {} })).toBeRefused(404, 'NOT_FOUND');
    expect(namesOf(await send(managementUrl))).not.toContain('shutdown');
  });

  it('a read-only endpoint rejects writes with 405', async () => {
    const { managementUrl } = await start('--management.endpoint.loggers.access=read-only');

    const [post, options] = [
      await send(`${managementUrl}/loggers/auth`, 'POST', { json: {} }),
      await send(`${managementUrl}/loggers/auth`, 'OPTIONS'),
    ];

    expect(post).toBeRefused(405, 'METHOD_NOT_ALLOWED');
    expect([post, options].map(({ headers }) => headers.get('allow'))).toEqual(Array(2).fill('GET, HEAD, OPTIONS'));
    expect(await send(`${managementUrl}/loggers/auth`)).toBeAnswered(200);
    expect(await send(`${managementUrl}/caches`, 'DELETE')).toBeAnswered(204);
  });

  it.each([
    [
      'the default for endpoints without their own setting',
      'endpoints.access.default=none',
      'endpoint.env.access=read-only',
      ['env'],
    ],
    [
      'the default for shutdown as well',
      'endpoints.access.default=unrestricted',
      'endpoint.env.access=none',
      ['shutdown'],
    ],
    [
      'the upper limit for all endpoints',
      'endpoints.access.max-permitted=none',
      'endpoint.env.access=unrestricted',
      [],
    ],
    [
      'the upper limit, which opens no endpoint by itself',
      'endpoints.access.max-permitted=unrestricted',
      'endpoint.env.access=unrestricted',
      ['env'],
    ],
  ])('endpoint access follows %s', async (_, all, one, there) => {
    const { managementUrl } = await start(`--management.${all}`, `--management.${one}`);

    const statuses = [
      ['env', (await send(`${managementUrl}/env`)).status],
      ['shutdown', (await send(`${managementUrl}/shutdown`, 'POST', { json: {} })).status],
    ] as const;

    expect(statuses.flatMap(([id, status]) => (status === 200 ? [id] : []))).toEqual(there);
  });
});

describe('endpoint paths', () => {
  it('path-mapping replaces the path of an endpoint in any spelling of its id', async () => {
    const { managementUrl } = await start(
      '--management.endpoints.web.path-mapping.health=healthcheck',
      '--management.endpoints.web.path-mapping.thread-dump=dumps/threads',
    );

    const discovery = await send(managementUrl);

    expect(await send(`${managementUrl}/healthcheck/db`)).toBeAnswered(200);
    expect(await send(`${managementUrl}/dumps/threads/`)).toBeAnswered(200);
    expect(await send(`${managementUrl}/health`)).toBeRefused(404, 'NOT_FOUND');
    expect(linksOf(discovery)['health-path']?.href).toBe(`${managementUrl}/healthcheck/{*path}`);
    expect(linksOf(discovery)['threaddump']?.href).toBe(`${managementUrl}/dumps/threads`);
  });

  it('an empty base path on the main listener serves the endpoints without discovery', async () => {
    const { url, managementUrl } = await start('--management.endpoints.web.base-path=/');

    expect(managementUrl).toBe(url);
    expect(await send(`${url}/health`)).toBeAnswered(200);
    expect((await send(`${url}/`)).headers.get('content-type')).toMatch(/^text\/html/);
  });

  it('the main listener ignores management.server.base-path', async () => {
    const { url } = await start('--management.server.base-path=/ops');

    expect(await send(`${url}/actuator/health`)).toBeAnswered(200);
    expect(await send(`${url}/ops/actuator/health`)).toBeRefused(404, 'NOT_FOUND');
  });
});

describe('a separate management listener', () => {
  it('serves only management endpoints, below its own base path and without the context path', async () => {
    const { url, managementUrl } = await start(
      '--management.server.port=0',
      '--management.server.base-path=/ops/',
      '--server.servlet.context-path=/auth',
    );
    const { origin } = new URL(managementUrl);

    expect(new URL(managementUrl).pathname).toBe('/ops/actuator');
    expect(linksOf(await send(managementUrl))['health']?.href).toBe(`${managementUrl}/health`);
    expect(await send(`${managementUrl}/loggers/auth`, 'POST', { json: {} })).toBeAnswered(204);
    for (const path of [
      '/',
      '/auth/',
      '/auth/login',
      '/login',
      '/me',
      '/auth/ops/actuator',
      '/actuator',
      '/openapi.json',
    ]) {
      expect(await send(origin + path), path).toBeRefused(404, 'NOT_FOUND');
    }
    for (const path of ['/actuator', '/actuator/health', '/ops/actuator', '/ops/actuator/health']) {
      expect(await send(url + path), path).toBeRefused(404, 'NOT_FOUND');
    }
  });

  it('serves discovery at its root when the base path is empty', async () => {
    const { managementUrl } = await start('--management.server.port=0', '--management.endpoints.web.base-path=');

    const answer = await send(`${managementUrl}/`);

    expect(linksOf(answer)['self']?.href).toBe(managementUrl);
    expect(linksOf(answer)['health']?.href).toBe(`${managementUrl}/health`);
    expect(await send(`${managementUrl}/health`)).toBeAnswered(200);
  });
});

describe('cached reads', () => {
  it('a response is reused for the same caller and media type when there are no parameters', async () => {
    const { managementUrl } = await start('--management.endpoint.env.cache.time-to-live=1h');
    const countOf = async (path: string, headers: Readonly<Record<string, string>> = {}): Promise<unknown> =>
      (await send(managementUrl + path, 'GET', { headers })).body['count'];
    const token = { authorization: `Bearer ${await service.otpTokenOf('another', ['ROLE_MANAGEMENT'])}` };

    expect([await countOf('/env'), await countOf('/env/')]).toEqual([1, 1]);
    expect(await countOf('/env', { accept: JSON_TYPE })).toBe(2);
    expect(await countOf('/env', token)).toBe(3);
    expect([await countOf('/env?pattern=a'), await countOf('/env?pattern=a')]).toEqual([4, 5]);
    expect([await countOf('/env/a'), await countOf('/env/a')]).toEqual([6, 7]);
    expect([await countOf('/loggers'), await countOf('/loggers')]).toEqual([8, 9]);
    expect([await countOf('/env'), await countOf('/env', token)]).toEqual([1, 3]);
  });

  it('unused parameters and headers do not bypass the cache, so anonymous callers cannot force a check per request', async () => {
    const { managementUrl } = await start('--management.endpoint.health.cache.time-to-live=1h');
    const stranger = new HttpClient(managementUrl);
    const counts: unknown[] = [];

    for (const [path, range, coding] of [
      ['/health', 'bytes=0-1', 'gzip'],
      ['/health?x=1', 'bytes=0-2', 'gzip'],
      ['/health?x=2&y', 'bytes=0-2', 'br'],
    ] as const) {
      counts.push((await stranger.get(path, { headers: { range, 'accept-encoding': coding } })).body['count']);
    }

    expect(counts).toEqual([1, 1, 1]);
  });

  it('a cached response is not given to unauthenticated callers', async () => {
    const { managementUrl } = await start('--management.endpoint.env.cache.time-to-live=1h');
    await send(`${managementUrl}/env`);

    expect(await new HttpClient(managementUrl).get('/env')).toBeRefused(401, 'INVALID_TOKEN');
  });
});
