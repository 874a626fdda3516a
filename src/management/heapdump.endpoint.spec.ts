import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { HeapDumps } from './heapdump.endpoint.js';

const snapshot = (): Readable => Readable.from(['{}']);

it('takes no dump while one is on its way', () => {
  const dumps = new HeapDumps();
  dumps.take(snapshot);

  expect(() => dumps.take(snapshot)).toThrow(expect.objectContaining({ code: 'UNAVAILABLE' }));
});

it('takes the next one after the last is read', async () => {
  const dumps = new HeapDumps();
  const first = dumps.take(snapshot);
  const closed = once(first, 'close');
  await text(first);
  await closed;

  expect(await text(dumps.take(snapshot))).toBe('{}');
});

it('takes the next one after whoever asked for the last has left', async () => {
  const dumps = new HeapDumps();
  const first = dumps.take(snapshot);
  const closed = once(first, 'close');
  first.destroy();
  await closed;

  expect(await text(dumps.take(snapshot))).toBe('{}');
});

it('takes the next one where the last could not be taken', async () => {
  const dumps = new HeapDumps();
  const fail = (): Readable => {
    throw new Error('no memory');
  };

  expect(() => dumps.take(fail)).toThrow('no memory');

  expect(await text(dumps.take(snapshot))).toBe('{}');
});
