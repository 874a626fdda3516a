import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { HeapDumps } from './heapdump.endpoint.js';

const snapshot = (): Readable => Readable.from(['{}']);

it('a heap dump is refused while another one is in progress', () => {
  const dumps = new HeapDumps();
  dumps.take(snapshot);

  expect(() => dumps.take(snapshot)).toThrow(expect.objectContaining({ code: 'UNAVAILABLE' }));
});

it('a heap dump is possible after the last one was read', async () => {
  const dumps = new HeapDumps();
  const first = dumps.take(snapshot);
  const closed = once(first, 'close');
  await text(first);
  await closed;

  expect(await text(dumps.take(snapshot))).toBe('{}');
});

it('a heap dump is possible after the last caller disconnected', async () => {
  const dumps = new HeapDumps();
  const first = dumps.take(snapshot);
  const closed = once(first, 'close');
  first.destroy();
  await closed;

  expect(await text(dumps.take(snapshot))).toBe('{}');
});

it('a heap dump is possible after the last one failed', async () => {
  const dumps = new HeapDumps();
  const fail = (): Readable => {
    throw new Error('no memory');
  };

  expect(() => dumps.take(fail)).toThrow('no memory');

  expect(await text(dumps.take(snapshot))).toBe('{}');
});
