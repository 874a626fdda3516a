import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { DataSize } from '../../../src/config/bind/data-size.js';
import { Duration } from '../../../src/config/bind/duration.js';
import { EmbeddedProperties } from '../../../src/platform/http/admission/embedded.properties.js';
import { ServerProperties } from '../../../src/platform/http/server.properties.js';
import { type EchoService, startEchoService } from '../../support/http/echo-service.js';
import { HttpClient, type RequestOptions } from '../../support/http/http-client.js';
import { RawConnection } from '../../support/http/raw-connection.js';
import { sendRaw } from '../../support/http/raw-http.js';
import { startService } from '../../support/programs/service.js';
import { waitUntil } from '../../support/runner/wait-until.js';

const KIBIBYTE = 1024;

let service: EchoService | undefined;

afterEach(() => service?.stop());

async function start(
  server: Partial<ServerProperties>,
  embedded: Partial<EmbeddedProperties> = {},
): Promise<HttpClient> {
  service = await startEchoService({
    server: Object.assign(new ServerProperties(), server),
    embedded: Object.assign(new EmbeddedProperties(), embedded),
  });
  return new HttpClient(service.url);
}

/** A JSON body of that many bytes. */
function json(bytes: number): RequestOptions {
  return { raw: JSON.stringify('x'.repeat(bytes - 2)), headers: { 'content-type': 'application/json' } };
}

/** A form of that many bytes, whose token is longer than the schema allows. */
function form(bytes: number): RequestOptions {
  return { form: { token: 'x'.repeat(bytes - 'token='.length) } };
}

describe('server.max-http-json-body-size', () => {
  it('H5: max-http-json-body-size limits a JSON body to the byte, with and without Content-Length', async () => {
    const client = await start({ maxHttpJsonBodySize: DataSize.ofBytes(KIBIBYTE) });
    const chunked = (bytes: number): string =>
      'POST /any HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n' +
      `Connection: close\r\n\r\n${bytes.toString(16)}\r\n"${'x'.repeat(bytes - 2)}"\r\n0\r\n\r\n`;

    expect((await client.post('/any', undefined, json(KIBIBYTE))).status).toBe(200);
    expect(await client.post('/any', undefined, json(KIBIBYTE + 1))).toMatchObject({
      status: 413,
      body: { code: 'PAYLOAD_TOO_LARGE', status: 413 },
    });
    expect((await sendRaw(client.baseUrl, chunked(KIBIBYTE))).statuses).toEqual([200]);
    expect((await sendRaw(client.baseUrl, chunked(KIBIBYTE + 1))).statuses).toEqual([413]);
  });

  it('max-http-json-body-size does not limit forms', async () => {
    const client = await start({ maxHttpJsonBodySize: DataSize.ofBytes(KIBIBYTE) });

    expect((await client.post('/form', undefined, form(4 * KIBIBYTE))).status).toBe(400);
  });
});

describe('server.embedded.max-http-form-post-size', () => {
  it('H5: max-http-form-post-size limits a form to the byte and does not limit JSON', async () => {
    const client = await start({}, { maxHttpFormPostSize: DataSize.ofBytes(KIBIBYTE) });

    expect((await client.post('/form', undefined, form(KIBIBYTE))).status).toBe(400);
    expect((await client.post('/form', undefined, form(KIBIBYTE + 1))).status).toBe(413);
    expect((await client.post('/any', undefined, json(4 * KIBIBYTE))).status).toBe(200);
  });

  it('max-http-form-post-size=-1 permits a form of 8 MB', async () => {
    const client = await start({}, { maxHttpFormPostSize: DataSize.ofBytes(-1) });

    expect((await client.post('/form', undefined, form(8 * KIBIBYTE * KIBIBYTE))).status).toBe(400);
  });
});

describe('server.max-http-request-header-size', () => {
  it('H5: a request head over max-http-request-header-size gets 431 as a problem document', async () => {
    const client = await start({ maxHttpRequestHeaderSize: DataSize.ofBytes(2 * KIBIBYTE) });
    const head = (bytes: number): string =>
      `GET /plain HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Long: ${'x'.repeat(bytes)}\r\n\r\n`;

    expect((await sendRaw(client.baseUrl, head(1.8 * KIBIBYTE))).statuses).toEqual([200]);
    const refused = await sendRaw(client.baseUrl, head(2 * KIBIBYTE));
    expect(refused.statuses).toEqual([431]);
    expect(refused.text).toMatch(/^content-type: application\/problem\+json\r$/im);
    expect(refused.text).toContain('"code":"PAYLOAD_TOO_LARGE"');
  });

  it('max-http-request-header-size can be raised to 64 KB', async () => {
    const client = await start({ maxHttpRequestHeaderSize: DataSize.ofBytes(64 * KIBIBYTE) });

    expect((await client.get('/plain', { headers: { 'x-long': 'x'.repeat(60 * KIBIBYTE) } })).status).toBe(200);
  });
});

it.each([
  ['its default, longer than the 60 s of most proxies', {}, 'timeout=75'],
  ['an hour', { keepAliveTimeout: Duration.ofSeconds(3600) }, 'timeout=3600'],
])('C8: Keep-Alive announces server.embedded.keep-alive-timeout: %s', async (_, embedded, announced) => {
  const client = await start({}, embedded);

  expect((await client.get('/plain')).headers.get('keep-alive')).toBe(announced);
});

it('server.embedded.threads.min-spare keeps that many password hash workers', async () => {
  // The password of the initial administrator is the first one to be hashed.
  const threadsWith = async (minSpare: number): Promise<number> => {
    const running = await startService({
      args: [`--server.embedded.threads.min-spare=${minSpare}`],
      isAlone: true,
    });
    await waitUntil('the initial administrator is created', () => running.stdout.includes('First user'));
    const threads = readdirSync(`/proc/${running.pid}/task`).length;
    await running.release();
    return threads;
  };

  expect((await threadsWith(2)) - (await threadsWith(0))).toBe(Math.min(2, availableParallelism()) - 1);
});

it('server.address binds the service to that address only', async () => {
  const running = await startService({ args: ['--server.address=127.0.0.2'] });
  const { port } = new URL(running.url);

  expect(running.url).toBe(`http://127.0.0.2:${port}`);
  expect((await new HttpClient(running.url).get('/portal/login')).status).toBe(200);
  await expect(new HttpClient(`http://127.0.0.1:${port}`).get('/')).rejects.toThrow('ECONNREFUSED');
  await running.release();
});

describe('server.embedded.max-connections', () => {
  it('a connection beyond max-connections is dropped until another one closes', async () => {
    const client = await start({}, { maxConnections: 3 });
    const open = await Promise.all([1, 2, 3].map(() => RawConnection.open(client.baseUrl)));
    for (const connection of open) connection.get('/plain');
    for (const connection of open) await connection.untilAnswered();

    const dropped = await RawConnection.open(client.baseUrl);
    dropped.get('/plain');
    await dropped.untilClosed();
    expect(dropped.statuses).toEqual([]);

    open[0]?.get('/plain', 'Connection: close\r\n');
    await open[0]?.untilClosed();
    const next = await RawConnection.open(client.baseUrl);
    next.get('/plain');
    await next.untilAnswered();
    expect(next.statuses).toEqual([200]);
    for (const connection of [...open, next]) connection.leave();
  });
});

it('the configured limits reach the listener of the service', { timeout: 60_000 }, async () => {
  const running = await startService({
    args: [
      '--server.max-http-json-body-size=1KB',
      '--server.max-http-request-header-size=2KB',
      '--server.embedded.max-http-form-post-size=2KB',
      '--server.embedded.connection-timeout=3s',
      '--server.embedded.threads.max=1',
      '--server.embedded.accept-count=0',
    ],
  });
  const statusesOf = async (bytes: string): Promise<readonly number[]> => (await sendRaw(running.url, bytes)).statuses;
  const post = (path: string, type: string, body: string): string =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

  expect(await statusesOf(post('/login', 'application/json', JSON.stringify('x'.repeat(KIBIBYTE))))).toEqual([413]);
  expect(await statusesOf(`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(2 * KIBIBYTE)}\r\n\r\n`)).toEqual([431]);
  const introspected = post(
    '/token/introspect',
    'application/x-www-form-urlencoded',
    `token=${'x'.repeat(2 * KIBIBYTE)}`,
  );
  expect(await statusesOf(introspected)).toEqual([413]);
  expect(await statusesOf('GET / HT')).toEqual([408]);
  // One of many concurrent logins is processed, and the queue is empty.
  const login = post('/login', 'application/json', JSON.stringify({ id: 'nobody', pw: 'nothing' }));
  const logins = Promise.all(Array.from({ length: 12 }, () => statusesOf(login)));
  const probes = ['/actuator/health', '/actuator/health/liveness', '/actuator/health/readiness'].map((path) =>
    statusesOf(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
  );
  // Health probes bypass admission.
  expect(await Promise.all(probes)).toEqual([[200], [200], [200]]);
  expect(new Set((await logins).flat())).toEqual(new Set([401, 503]));
  await running.release();
});
