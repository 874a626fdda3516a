import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXCHANGE_PARTS, HttpExchanges } from '../../src/platform/http/records/http-exchanges.js';
import { makeCertificate } from '../support/http/certificates.js';
import { startEchoService } from '../support/http/echo-service.js';
import { HttpClient } from '../support/http/http-client.js';
import { storyOn } from '../support/login/login-story.js';
import { type ManagedService, OPERATOR, OPERATOR_HEADERS, startManaged } from '../support/management/management.js';
import { needs } from '../support/runner/needs.js';
import { sendRaw } from '../support/http/raw-http.js';
import { overHttp1 } from '../support/http/secure-client.js';
import { waitUntil } from '../support/runner/wait-until.js';
import { onSqlite } from '../support/database/story-database.js';

interface Exchange {
  readonly timestamp: string;
  readonly request: { readonly method: string; readonly uri: string; readonly headers: Record<string, string[]> };
  readonly response: { readonly status: number; readonly headers: Record<string, string[]> };
  readonly timeTaken: string;
}

describe('the httpexchanges endpoint', () => {
  let service: ManagedService;
  beforeAll(async () => {
    service = await startManaged({ args: ['--management.httpexchanges.recording.enabled=true'] });
  });
  afterAll(async () => {
    await service.stop();
  });

  const recorded = async (): Promise<readonly Exchange[]> => {
    const { body } = await service.operator.get('/httpexchanges');
    return body['exchanges'] as readonly Exchange[];
  };

  it('lists recorded requests, newest first, with headers and times', async () => {
    const client = new HttpClient(service.url);
    await client.get('/');
    await client.post('/login', { id: 'nobody', pw: 'wrong' });

    const [login, start] = await recorded();

    expect(login).toEqual({
      timestamp: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/) as string,
      request: {
        method: 'POST',
        uri: `${service.url}/login`,
        headers: expect.objectContaining({ 'content-type': ['application/json'] }) as object,
      },
      response: {
        status: 401,
        headers: expect.objectContaining({ 'content-type': [expect.stringContaining('problem+json')] }) as object,
      },
      timeTaken: expect.stringMatching(/^PT\d+(?:\.\d{1,3})?S$/) as string,
    });
    expect(start?.request).toMatchObject({ method: 'GET', uri: `${service.url}/` });
  });

  it('L1: records no credentials, cookies, bodies or secret query parameters', async () => {
    const client = new HttpClient(service.url);
    const headers = {
      authorization: 'Bearer secret-one',
      'proxy-authorization': 'Basic secret-two',
      cookie: 'SESSION=secret-three',
      'x-api-key': 'secret-four',
      referer: 'https://portal.example/?code=secret-five',
    };
    await client.get('/me?access_token=secret-six&page=2', { headers });
    await client.post('/login', { id: 'secret-seven', pw: 'secret-eight' }, { headers: { origin: service.url } });

    const text = JSON.stringify(await recorded());

    expect(text).toContain('/me?access_token=******&page=2');
    expect(text).not.toContain('secret-');
  });

  it('shows request headers exactly as they were sent', async () => {
    const lines = [
      'Accept: text/html',
      'Accept: application/json',
      'X-Forwarded-Proto: gopher',
      'Forwarded: by=a;proto=b',
    ];
    await sendRaw(
      service.url,
      ['GET / HTTP/1.1', 'Host: a.example', 'Connection: close', ...lines, '', ''].join('\r\n'),
    );

    const [exchange] = await recorded();

    expect(exchange?.request.headers).toEqual({
      host: ['a.example'],
      connection: ['close'],
      accept: ['text/html', 'application/json'],
      'x-forwarded-proto': ['gopher'],
    });
  });

  it('omits address, principal and session by default', async () => {
    const headers = { 'x-forwarded-for': '192.0.2.7', 'x-real-ip': '192.0.2.7', forwarded: 'for=192.0.2.7' };
    await new HttpClient(service.url).get('/', { headers });

    const [exchange] = await recorded();

    expect(Object.keys(exchange ?? {})).toEqual(['timestamp', 'request', 'response', 'timeTaken']);
    expect(JSON.stringify(exchange)).not.toContain('192.0.2.7');
  });

  it('records no management requests', async () => {
    await service.operator.get('/health');
    await service.operator.send('OPTIONS', '/env');
    await service.operator.send('PUT', '/loggers/auth');
    await service.operator.get('/endpoint-that-is-not-there');

    const uris = (await recorded()).map(({ request }) => request.uri);

    expect(uris.filter((uri) => uri.includes('/actuator'))).toEqual([]);
  });

  it('records a request that matches no route', async () => {
    await new HttpClient(service.url).get('/nothing/here');

    expect((await recorded())[0]).toMatchObject({
      request: { uri: `${service.url}/nothing/here` },
      response: { status: 404 },
    });
  });
});

onSqlite('httpexchanges with every part included', (engine) => {
  const story = storyOn(engine, {
    people: 1,
    args: [
      `--management.security.user=${OPERATOR.user}`,
      `--management.security.password=${OPERATOR.password}`,
      '--management.endpoints.web.exposure.include=httpexchanges',
      '--management.httpexchanges.recording.enabled=true',
      `--management.httpexchanges.recording.include=${EXCHANGE_PARTS.join(',')}`,
    ],
  });

  it('shows the principal, the session and the remote address of a request', async () => {
    const person = story.person();
    const { client, accessToken } = await story.signInByPassword(person);
    await client.get('/me', { bearer: accessToken, headers: { 'x-forwarded-for': '192.0.2.7' } });

    const { body } = await story.client().get('/actuator/httpexchanges', { headers: OPERATOR_HEADERS });

    const [me, login] = body['exchanges'] as readonly object[];
    expect(me).toMatchObject({
      principal: { name: await story.subjectOf(person) },
      session: { id: expect.stringMatching(/^\S+$/) as string },
      request: {
        uri: `${story.service.url}/me`,
        remoteAddress: '192.0.2.7',
        headers: { 'x-forwarded-for': ['192.0.2.7'] },
      },
    });
    expect(login).toMatchObject({ request: { uri: `${story.service.url}/login`, remoteAddress: '127.0.0.1' } });
    expect(login).not.toHaveProperty('principal');
  });
});

it('httpexchanges returns 404 unless recording is enabled', async () => {
  const service = await startManaged();

  const { status, body } = await service.operator.get('/httpexchanges');
  await service.stop();

  expect(status).toBe(404);
  expect(body).toMatchObject({ code: 'NOT_FOUND' });
});

it('a request with an unreadable body is recorded and logged with the status that was sent', async () => {
  const exchanges = new HttpExchanges(new Set(['response-headers']));
  const service = await startEchoService({ exchanges });
  service.log.loggers.setLevel('http', 'DEBUG');
  const head = 'POST /any HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked';

  const { statuses } = await sendRaw(service.url, `${head}\r\n\r\nzz\r\n`);
  await waitUntil('the request has ended', () => service.log.of('http').length === 1);
  await service.stop();

  expect(statuses).toEqual([400]);
  expect(exchanges.all.map(({ response }) => response.status)).toEqual([400]);
  expect(service.log.of('http').map(({ message }) => message)).toEqual([expect.stringMatching(/^POST \/any 400 /)]);
});

needs('openssl')('httpexchanges over TLS', () => {
  it('records the URL and the headers of a request over TLS', async () => {
    const exchanges = new HttpExchanges(new Set(['request-headers']));
    const made = makeCertificate();
    const context = { cert: made.pem, key: readFileSync(made.key) };
    const tls = { context, onUpdate: () => () => undefined };
    const service = await startEchoService({ exchanges, tls });
    const headers = { accept: ['text/html', 'application/json'], cookie: 'SESSION=secret' };
    await overHttp1(service.url, '/nowhere?token=secret', { headers, ca: made.pem });
    await service.stop();

    expect(exchanges.all.map(({ request }) => request)).toEqual([
      {
        method: 'GET',
        uri: `${service.url}/nowhere?token=******`,
        headers: {
          accept: ['text/html', 'application/json'],
          connection: ['close'],
          host: [new URL(service.url).host],
        },
      },
    ]);
  });
});

it('L1: Set-Cookie headers of responses are not recorded', async () => {
  const exchanges = new HttpExchanges(new Set(['response-headers']));
  const service = await startEchoService({ exchanges });
  const answer = await new HttpClient(service.url).post('/cookies');
  await service.stop();

  expect(answer.cookies).not.toEqual([]);
  const [{ response } = { response: undefined }] = exchanges.all;
  expect(response?.headers).toHaveProperty('content-type');
  expect(response?.headers).not.toHaveProperty('set-cookie');
});
