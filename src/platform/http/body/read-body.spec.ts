import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { ServiceError } from '../../../kernel/errors/service-error.js';
import { waitUntil } from '../../../../test/support/runner/wait-until.js';
import { BodyMemory } from './body-memory.js';
import { readBody } from './read-body.js';

const KIBIBYTE = 1024;

interface Sender {
  /** Resolves when the bytes are read. */
  send(bytes: number): Promise<void>;
  end(): void;
  leave(): void;
  /** Every result so far: an error code or the length of the body. */
  readonly outcomes: readonly (string | number)[];
}

/** A client whose body is read, with the length it has announced. */
function sender(memory: BodyMemory, announced?: number, limit = 64 * KIBIBYTE): Sender {
  const stream = new PassThrough();
  const outcomes: (string | number)[] = [];
  const note = (rejection: ServiceError | null, body: Buffer): void =>
    void outcomes.push(rejection ? rejection.code : body.length);
  readBody(stream, announced?.toString(), { limit, memory }, note);
  return {
    outcomes,
    async send(bytes) {
      stream.write(Buffer.alloc(bytes, 'x'));
      await waitUntil('it is read', () => stream.readableLength === 0, { everyMillis: 1 });
    },
    end: () => void stream.end(),
    leave: () => void stream.destroy(),
  };
}

describe('a request body', () => {
  it('equals the bytes that were sent in any number of chunks', async () => {
    const stream = new PassThrough();
    const read = new Promise<string>((resolve) => {
      readBody(stream, undefined, { limit: KIBIBYTE, memory: new BodyMemory(KIBIBYTE) }, (_, body) => {
        resolve(body.toString());
      });
    });
    const pieces = Array.from({ length: 300 }, (_, index) => index.toString(36));
    for (const piece of pieces) stream.write(piece);
    stream.end();

    expect(await read).toBe(pieces.join(''));
  });

  it.each([
    ['shorter than announced', 10, [4], 'VALIDATION_FAILED'],
    ['without bytes', undefined, [], 0],
    ['as large as the limit', undefined, [KIBIBYTE, 63 * KIBIBYTE], 64 * KIBIBYTE],
    ['larger than the limit', undefined, [64 * KIBIBYTE, 1], 'PAYLOAD_TOO_LARGE'],
    ['announced as larger than the limit', 64 * KIBIBYTE + 1, [], 'PAYLOAD_TOO_LARGE'],
  ])('H5: %s has exactly one result', async (_, announced, pieces, outcome) => {
    const memory = new BodyMemory(0);
    const client = sender(memory, announced);

    for (const piece of pieces) await client.send(piece);
    client.end();
    await waitUntil('it is over', () => client.outcomes.length > 0, { everyMillis: 1 });

    expect(client.outcomes).toEqual([outcome]);
    expect(memory.used).toBe(0);
  });

  it('R7: takes at most twice its bytes of memory even in chunks of one byte', async () => {
    const memory = new BodyMemory(0);
    const client = sender(memory);

    for (let count = 0; count < 9 * KIBIBYTE; count += 1) await client.send(1);

    expect(memory.used).toBeGreaterThanOrEqual(9 * KIBIBYTE);
    expect(memory.used).toBeLessThanOrEqual(18 * KIBIBYTE);
  });
});

describe('R7: the memory of incomplete bodies', () => {
  it('counts the bytes that were received, not those that were announced', async () => {
    const memory = new BodyMemory(0);
    const client = sender(memory, 60 * KIBIBYTE);

    await client.send(5 * KIBIBYTE);

    expect(memory.used).toBe(5 * KIBIBYTE);
  });

  it('counts a body with all its bytes until its end is received', async () => {
    const memory = new BodyMemory(0);
    const client = sender(memory, 16 * KIBIBYTE);

    await client.send(16 * KIBIBYTE);
    expect(memory.used).toBe(16 * KIBIBYTE);

    client.end();
    await waitUntil('it is over', () => client.outcomes.length > 0, { everyMillis: 1 });
    expect([client.outcomes, memory.used]).toEqual([[16 * KIBIBYTE], 0]);
  });

  it('is taken from the largest body if it runs short, and is released', async () => {
    const memory = new BodyMemory(0, 64 * KIBIBYTE);
    const [large, larger, last] = [sender(memory), sender(memory), sender(memory)];
    await large.send(20 * KIBIBYTE);
    await larger.send(30 * KIBIBYTE);

    await last.send(16 * KIBIBYTE);

    expect([large, larger, last].map(({ outcomes }) => outcomes)).toEqual([[], ['UNAVAILABLE'], []]);
    expect(memory.used).toBe(36 * KIBIBYTE);
  });

  it('is denied to a body that would become the largest', async () => {
    const memory = new BodyMemory(0, 64 * KIBIBYTE);
    const [large, late] = [sender(memory), sender(memory)];
    await large.send(30 * KIBIBYTE);

    await late.send(40 * KIBIBYTE);

    expect([large.outcomes, late.outcomes]).toEqual([[], ['UNAVAILABLE']]);
  });

  it('runs short without an effect on small bodies', async () => {
    const memory = new BodyMemory(0, 64 * KIBIBYTE);
    const full = [sender(memory), sender(memory)];
    for (const client of full) await client.send(32 * KIBIBYTE);
    const small = sender(memory);

    await small.send(2 * KIBIBYTE);
    await small.send(2 * KIBIBYTE);
    small.end();
    await waitUntil('it is over', () => small.outcomes.length > 0, { everyMillis: 1 });

    expect(small.outcomes).toEqual([4 * KIBIBYTE]);
    expect(full.map(({ outcomes }) => outcomes)).toEqual([[], []]);
  });

  it('is released when a client disconnects', async () => {
    const memory = new BodyMemory(0);
    const client = sender(memory);
    await client.send(8 * KIBIBYTE);

    client.leave();
    await waitUntil('it is over', () => client.outcomes.length > 0, { everyMillis: 1 });

    expect(client.outcomes).toEqual(['VALIDATION_FAILED']);
    expect(memory.used).toBe(0);
  });

  it('is never smaller than the largest permitted body', () => {
    expect(new BodyMemory(100, 10).limit).toBe(100);
  });
});
