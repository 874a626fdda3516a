import { afterEach, describe, expect, it } from 'vitest';
import { Meters } from '../../../src/observability/metrics/meters.js';
import { EmbeddedProperties, ThreadsProperties } from '../../../src/platform/http/admission/embedded.properties.js';
import type { HostOptions } from '../../../src/platform/http/host-options.js';
import { type EchoService, startEchoService } from '../../support/http/echo-service.js';
import { held } from '../../support/http/held.controller.js';
import { reading, readings } from '../../support/management/meter-readings.js';
import { RawConnection } from '../../support/http/raw-connection.js';
import { sendRaw } from '../../support/http/raw-http.js';
import { waitUntil } from '../../support/runner/wait-until.js';

let meters: Meters;
let service: EchoService;

async function start(options: HostOptions = {}): Promise<void> {
  meters = new Meters();
  service = await startEchoService({ meters, ...options });
}

afterEach(async () => {
  held.releaseAll();
  await service.stop();
});

/** Counts by method, uri, status, outcome and exception, once `count` requests are complete. */
async function counted(count: number): Promise<Readonly<Record<string, number>>> {
  return waitUntil(`${count} requests have ended`, () => {
    const all = readings(meters, 'http.server.requests');
    const sum = Object.values(all).reduce((total, each) => total + each, 0);
    return sum >= count && all;
  });
}

async function ask(path: string, init: RequestInit = {}): Promise<void> {
  await (await fetch(service.url + path, init)).text();
}

describe('http.server.requests', () => {
  it('M2: http.server.requests counts by method, route template, status, outcome and error code', async () => {
    await start({ contextPath: '/auth' });
    const json = { 'content-type': 'application/json' };
    await ask('/items/1');
    await ask('/items/2');
    await ask('/items/2?page=x');
    await ask('/note', { method: 'POST', headers: json, body: '{}' });
    await ask('/note', { method: 'DELETE' });
    await ask('/items/1', { method: 'HEAD' });
    await ask('/plain');
    await ask('/defect');

    expect(await counted(8)).toEqual({
      'GET /items/:id 200 SUCCESS none none': 2,
      'GET /items/:id 400 CLIENT_ERROR VALIDATION_FAILED VALIDATION_FAILED': 1,
      'POST /note 400 CLIENT_ERROR VALIDATION_FAILED VALIDATION_FAILED': 1,
      'DELETE UNKNOWN 405 CLIENT_ERROR METHOD_NOT_ALLOWED METHOD_NOT_ALLOWED': 1,
      'HEAD /items/:id 200 SUCCESS none none': 1,
      'GET /plain 200 SUCCESS none none': 1,
      'GET /defect 500 SERVER_ERROR INTERNAL_ERROR INTERNAL_ERROR': 1,
    });
  });

  it('M5: invented paths, methods and queries share the series UNKNOWN', async () => {
    await start();
    const before = Object.keys(readings(meters, 'http.server.requests')).length;
    for (let number = 0; number < 30; number += 1) {
      await ask(`/made-up-${number}/${'x'.repeat(number)}?q=${number}`);
      await sendRaw(
        service.url,
        `MADE${'U'.repeat(number + 1)}P /p-${number} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      );
    }
    await sendRaw(service.url, 'PROPFIND /items/1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');

    const after = await counted(61);
    expect(before).toBe(0);
    expect(after).toEqual({
      'GET UNKNOWN 404 CLIENT_ERROR NOT_FOUND NOT_FOUND': 30,
      'UNKNOWN UNKNOWN 400 CLIENT_ERROR VALIDATION_FAILED VALIDATION_FAILED': 30,
      'UNKNOWN UNKNOWN 405 CLIENT_ERROR METHOD_NOT_ALLOWED METHOD_NOT_ALLOWED': 1,
    });
    expect(Object.keys(readings(meters, 'http.server.requests.active', 'ACTIVE_TASKS'))).toEqual(['GET', 'UNKNOWN']);
  });

  it('http.server.requests counts once a request that is rejected before routing or cannot be parsed', async () => {
    await start();
    await sendRaw(service.url, 'GET /items/1 HTTP/1.1\r\nConnection: close\r\n\r\n');
    await sendRaw(service.url, 'no request\r\n\r\n');
    await sendRaw(service.url, `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(70_000)}\r\n\r\n`);
    await sendRaw(service.url, 'CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n');
    await sendRaw(
      service.url,
      'POST /any HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    );

    expect(await counted(5)).toEqual({
      'GET /items/:id 400 CLIENT_ERROR VALIDATION_FAILED VALIDATION_FAILED': 1,
      'UNKNOWN UNKNOWN 400 CLIENT_ERROR VALIDATION_FAILED VALIDATION_FAILED': 1,
      'UNKNOWN UNKNOWN 431 CLIENT_ERROR PAYLOAD_TOO_LARGE PAYLOAD_TOO_LARGE': 1,
      'CONNECT UNKNOWN 405 CLIENT_ERROR METHOD_NOT_ALLOWED METHOD_NOT_ALLOWED': 1,
      'POST /any 400 CLIENT_ERROR VALIDATION_FAILED VALIDATION_FAILED': 1,
    });
  });

  it('http.server.requests counts a client that disconnects before its response as 499', async () => {
    await start();
    const connection = await hold();
    expect(readings(meters, 'http.server.requests.active', 'ACTIVE_TASKS')).toEqual({ GET: 1 });

    connection.leave();

    expect(await counted(1)).toEqual({ 'GET /held 499 CLIENT_ERROR none none': 1 });
    expect(readings(meters, 'http.server.requests.active', 'ACTIVE_TASKS')).toEqual({ GET: 0 });
  });
});

describe('embedded.*', () => {
  it('embedded.* meters report slots, queue, rejections and connections of the main listener', async () => {
    const threads = Object.assign(new ThreadsProperties(), { max: 1 });
    await start({ threads, embedded: Object.assign(new EmbeddedProperties(), { acceptCount: 1 }) });
    const working = await hold();
    const waiting = await queue();
    await ask('/items/1');
    await ask('/managed');

    expect(reading(meters, 'embedded.threads.busy')).toBe(1);
    expect(reading(meters, 'embedded.threads.config.max')).toBe(1);
    expect(reading(meters, 'embedded.queue.size')).toBe(1);
    expect(reading(meters, 'embedded.rejected', 'COUNT')).toBe(1);
    expect(reading(meters, 'embedded.connections.current')).toBeGreaterThanOrEqual(2);
    held.release();
    await working.untilAnswered();
    await waitUntil('the queued request is in progress', () => held.count === 1);
    expect(reading(meters, 'embedded.queue.size')).toBe(0);
    held.release();
    await waiting.untilAnswered();
    await waitUntil('no request is in progress', () => reading(meters, 'embedded.threads.busy') === 0);
    expect(await counted(4)).toMatchObject({ 'GET /items/:id 503 SERVER_ERROR UNAVAILABLE UNAVAILABLE': 1 });
  });

  it('embedded.passwords.* meters report requests that hash a password, their limit and its rejections', async () => {
    const pace: { millis: number | undefined } = { millis: undefined };
    await start({
      threads: new ThreadsProperties(),
      embedded: Object.assign(new EmbeddedProperties(), { acceptCount: 0 }),
      passwords: { pace: () => ({ workers: 1, ...pace }), ownerOfDevice: () => undefined },
    });
    expect(reading(meters, 'embedded.passwords.limit')).toBe(200);
    const working = [ask('/held/password', { method: 'POST' }), ask('/held/password', { method: 'POST' })];
    await waitUntil('both requests are in progress', () => held.count === 2, { everyMillis: 2 });
    pace.millis = 100;
    await ask('/held/password', { method: 'POST' });
    await ask('/items/1');

    expect(reading(meters, 'embedded.passwords.limit')).toBe(2);
    expect(reading(meters, 'embedded.passwords.current')).toBe(2);
    expect(reading(meters, 'embedded.passwords.rejected', 'COUNT')).toBe(1);
    expect(reading(meters, 'embedded.rejected', 'COUNT')).toBe(1);
    held.releaseAll();
    await Promise.all(working);
    await waitUntil('no password is hashed', () => reading(meters, 'embedded.passwords.current') === 0);
  });
});

/** A request that is in progress until the test releases it. */
async function hold(): Promise<RawConnection> {
  const before = held.count;
  const connection = await RawConnection.open(service.url);
  connection.get('/held');
  await waitUntil('the request is in progress', () => held.count > before, { everyMillis: 2 });
  return connection;
}

/** A request that waits in the queue. */
async function queue(): Promise<RawConnection> {
  const before = service.listener.inProgress;
  const connection = await RawConnection.open(service.url);
  connection.get('/held');
  await waitUntil('the request is queued', () => service.listener.inProgress > before, { everyMillis: 2 });
  return connection;
}
