import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { freePort } from '../../../test/support/programs/free-port.js';
import { outboundHttp } from '../../../test/support/http/outbound.js';
import type { OtlpResult } from '../../observability/tracing/span-export.js';
import { OtlpClient } from './otlp.client.js';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function sent(answer: (response: ServerResponse) => void, stop = new AbortController()): Promise<OtlpResult> {
  const opened = createServer((_, response) => {
    answer(response);
  });
  server = opened;
  await new Promise<void>((resolve) => opened.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(opened.address() as AddressInfo).port}/v1/traces`;
  const client = new OtlpClient(outboundHttp(), { endpoint, headers: {}, timeoutMillis: 60_000 });
  return client.send(new TextEncoder().encode('{}'), stop.signal);
}

it.each([429, 502, 503, 504])('spans that the collector refuses with %d may be sent again', async (status) => {
  expect(await sent((response) => response.writeHead(status).end())).toEqual({
    outcome: 'later',
    reason: String(status),
  });
});

it.each([301, 400, 401, 404, 413, 500])(
  'spans that the collector refuses with %d are not sent again',
  async (status) => {
    expect(await sent((response) => response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end())).toEqual({
      outcome: 'rejected',
      reason: String(status),
    });
  },
);

it.each([
  ['7', 7000],
  ['86400', 60_000],
  ['Fri, 31 Dec 2038 23:59:59 GMT', undefined],
])('Retry-After: %s delays the next attempt by %s ms, a minute at most', async (header, expected) => {
  const result = await sent((response) => response.writeHead(503, { 'retry-after': header }).end());

  expect(result).toMatchObject({ outcome: 'later' });
  expect(result.outcome === 'later' ? result.retryAfterMillis : NaN).toBe(expected);
});

it.each([
  ['{}', 0],
  ['', 0],
  ['not JSON', 0],
  ['null', 0],
  ['{"partialSuccess":{"rejectedSpans":"3"}}', 3],
  ['{"partialSuccess":{"rejectedSpans":-3}}', 0],
  [`{"partialSuccess":{"rejectedSpans":3},"padding":"${'x'.repeat(20_000)}"}`, 0],
])('a response %.50s means that %d spans were rejected', async (body, rejected) => {
  expect(await sent((response) => response.writeHead(200).end(body))).toEqual({ outcome: 'accepted', rejected });
});

it('a stop ends a request to a silent collector at once', async () => {
  const stop = new AbortController();

  const result = await sent(() => {
    stop.abort();
  }, stop);

  expect(result).toEqual({ outcome: 'later', reason: 'ABORTED' });
});

it('a collector that refuses connections is reported by the code of the error', async () => {
  const endpoint = `http://127.0.0.1:${await freePort()}/v1/traces`;
  const client = new OtlpClient(outboundHttp(), { endpoint, headers: {}, timeoutMillis: 60_000 });

  expect(await client.send(new Uint8Array(), new AbortController().signal)).toEqual({
    outcome: 'later',
    reason: 'ECONNREFUSED',
  });
});
