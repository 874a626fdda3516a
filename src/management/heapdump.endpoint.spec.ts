import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { ask } from '../../test/support/http/operation-request.js';
import { ManualClock } from '../../test/support/programs/manual-clock.js';
import { Loggers } from '../observability/logging/loggers.js';
import { HeapDumpEndpoint } from './heapdump.endpoint.js';

function endpointWith(loggers = new Loggers()): HeapDumpEndpoint {
  return new HeapDumpEndpoint(new ManualClock(), loggers);
}

/** The body of a response to `HEAD`, which is an empty dump, and in progress until it is closed. */
async function dumpOf(endpoint: HeapDumpEndpoint): Promise<Readable> {
  const { body } = await ask(endpoint, 'GET', { wantsBody: false });
  return body as Readable;
}

it('a heap dump is rejected while another one is in progress', async () => {
  const endpoint = endpointWith();
  await dumpOf(endpoint);

  await expect(dumpOf(endpoint)).rejects.toMatchObject({ code: 'UNAVAILABLE', facts: { retryAfterSeconds: 30 } });
});

it('a heap dump is possible after the last one was read', async () => {
  const endpoint = endpointWith();
  const first = await dumpOf(endpoint);
  const closed = once(first, 'close');
  first.resume();
  await closed;

  expect(await dumpOf(endpoint)).not.toBe(first);
});

it('a heap dump is possible after the last caller disconnected', async () => {
  const endpoint = endpointWith();
  const first = await dumpOf(endpoint);
  const closed = once(first, 'close');
  first.destroy();
  await closed;

  expect(await dumpOf(endpoint)).not.toBe(first);
});

it('a heap dump is possible after the last one failed', async () => {
  const append = (): void => {
    throw new Error('no memory');
  };
  const endpoint = endpointWith(new Loggers([{ append }]));

  await expect(ask(endpoint, 'GET')).rejects.toThrow('no memory');

  expect((await dumpOf(endpoint)).readable).toBe(true);
});
