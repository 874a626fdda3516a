import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { outboundHttp } from '../../../../../test/support/http/outbound.js';
import { RangeServer, sha1Of } from '../../../../../test/support/http/range-server.js';
import { BreachSourceFailure } from './breach-source.js';
import { RangeClient } from './range.client.js';

const PASSWORD = 'correct horse battery staple';

const http = outboundHttp();
const server = await new RangeServer().add(PASSWORD, 216).start();
beforeEach(() => {
  server.asked.length = 0;
});
afterEach(() => {
  server.answer = undefined;
});
afterAll(async () => {
  await http.close();
  await server.stop();
});

async function occurrences(password: string, totalMillis = 30_000): Promise<number | string> {
  try {
    return await new RangeClient(http, server.url, totalMillis).occurrences(sha1Of(password));
  } catch (error) {
    if (error instanceof BreachSourceFailure) return error.reason;
    throw error;
  }
}

it('a breached password has the number of occurrences that the range service states', async () => {
  expect(await occurrences(PASSWORD)).toBe(216);
});

it('a password that is not in the response of the range service occurs 0 times', async () => {
  expect(await occurrences('another one')).toBe(0);
});

it('the range service receives five digits of the hash, and a request for padding', async () => {
  await occurrences(PASSWORD);

  const [{ path, headers } = { path: '', headers: {} }] = server.asked;
  expect(path).toBe(`/range/${sha1Of(PASSWORD).slice(0, 5)}`);
  expect(headers).toMatchObject({ 'add-padding': 'true', accept: 'text/plain' });
  expect(JSON.stringify(server.asked)).not.toContain(sha1Of(PASSWORD).slice(0, 6));
});

it('a line of padding, which has the count 0, marks no password', async () => {
  server.answer = (response) => void response.end(`${sha1Of(PASSWORD).slice(5)}:0\r\n`);

  expect(await occurrences(PASSWORD)).toBe(0);
});

it('a response in lower case with line feeds alone is understood', async () => {
  server.answer = (response) => void response.end(`${sha1Of(PASSWORD).slice(5).toLowerCase()}:7\n`);

  expect(await occurrences(PASSWORD)).toBe(7);
});

const line = `${sha1Of(PASSWORD).slice(5)}:216`;
it.each<[string, string, (response: ServerResponse) => void]>([
  ['500', '500', (response) => response.writeHead(500).end(line)],
  ['a redirect', '302', (response) => response.writeHead(302, { location: server.url }).end(line)],
  ['204', '204', (response) => response.writeHead(204).end()],
  ['a page', 'MALFORMED', (response) => response.end('<html>Sign in to the network</html>')],
  ['a page behind valid lines', 'MALFORMED', (response) => response.end(`${line}\r\n<html></html>`)],
  ['JSON', 'MALFORMED', (response) => response.end('{"count":216}')],
  ['a negative count', 'MALFORMED', (response) => response.end(line.replace(':', ':-'))],
  ['more than 512 KiB', 'TOO_LARGE', (response) => response.end(`${line}\n`.repeat(14_000))],
  ['half a response', 'UND_ERR_SOCKET', (response) => response.writeHead(200, { 'content-length': 99 }).write(line)],
])('a range service that sends %s fails with %s', async (_, reason, answer) => {
  server.answer = (response) => {
    answer(response);
    if (reason === 'UND_ERR_SOCKET') setImmediate(() => response.destroy());
  };

  expect(await occurrences(PASSWORD)).toBe(reason);
});

it('a range service that does not respond in time fails with TOTAL_TIMEOUT', async () => {
  server.answer = () => undefined;

  expect(await occurrences(PASSWORD, 50)).toBe('TOTAL_TIMEOUT');
});

it('a failure contains no digit of the hash', async () => {
  server.answer = (response) => void response.writeHead(503).end();
  const failure: unknown = await new RangeClient(http, server.url, 30_000)
    .occurrences(sha1Of(PASSWORD))
    .catch((error: unknown) => error);

  const texts = [String(failure), String((failure as Error).stack), String((failure as Error).cause)].join('\n');
  expect(failure).toBeInstanceOf(BreachSourceFailure);
  expect(texts).not.toContain(sha1Of(PASSWORD).slice(0, 5));
});
