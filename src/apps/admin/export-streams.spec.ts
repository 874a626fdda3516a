import { finished } from 'node:stream/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Permit } from '../../signin/auth/guards/permit.js';
import { ServiceError } from '../../kernel/errors/service-error.js';
import { MultipartProperties } from '../../platform/http/upload/multipart.properties.js';
import { ExportStreams } from './export-streams.service.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
});

afterEach(() => {
  vi.useRealTimers();
});

function permit(verifyAccess: () => Promise<void> = () => Promise.resolve()): Permit {
  return { subject: 'boss', verifyAccess, verify: verifyAccess, hold: verifyAccess };
}

async function* parts(): AsyncGenerator<string> {
  for (;;) yield await Promise.resolve('x');
}

it('X2: an export ends after an hour, although its client reads steadily and its caller may receive it', async () => {
  const stream = await new ExportStreams(new MultipartProperties()).stream(permit(), () => Promise.resolve(parts()));
  const end = finished(stream).catch((error: unknown) => error);

  await vi.advanceTimersByTimeAsync(3_599_000);
  stream.read();
  expect(stream.destroyed).toBe(false);
  await vi.advanceTimersByTimeAsync(2000);

  expect(stream.destroyed).toBe(true);
  expect(await end).toMatchObject({ code: 'UNAVAILABLE' });
  expect(vi.getTimerCount()).toBe(0);
});

it('X2: an export ends once its caller may not receive it, although its client reads nothing', async () => {
  const ended = new ServiceError('INVALID_TOKEN');
  let verify = (): Promise<void> => Promise.resolve();
  const streams = new ExportStreams(new MultipartProperties());
  const stream = await streams.stream(
    permit(() => verify()),
    () => Promise.resolve(parts()),
  );
  const end = finished(stream).catch((error: unknown) => error);

  await vi.advanceTimersByTimeAsync(60_000);
  expect(stream.destroyed).toBe(false);
  verify = () => Promise.reject(ended);
  await vi.advanceTimersByTimeAsync(2000);

  expect(await end).toBe(ended);
  expect(vi.getTimerCount()).toBe(0);
});

it('X2: an export that cannot begin counts no longer', async () => {
  const streams = new ExportStreams(new MultipartProperties());
  const fail = (): Promise<AsyncIterable<string>> => Promise.reject(new Error('no such user'));

  for (let attempt = 0; attempt < 10; attempt++) {
    await expect(streams.stream(permit(), fail)).rejects.toThrow('no such user');
  }
  expect(vi.getTimerCount()).toBe(0);
});
