import type { FastifyReply } from 'fastify';
import { expect, it } from 'vitest';
import { RequestLifecycle } from './request-tracker.js';

/** A response that became ready at 1000, on a connection whose written bytes a test sets. */
function response(socket: { bytesWritten: number }, isStreamed: boolean): RequestLifecycle {
  const reply = { request: { raw: { socket } } } as unknown as FastifyReply;
  const lifecycle = new RequestLifecycle(reply, {}, false, { requests: new Set(), idleSince: 0, hasEnded: false });
  lifecycle.respondedAt = 1000;
  if (isStreamed) lifecycle.streamedBytes = 0;
  return lifecycle;
}

it('the time limit of a streamed response begins anew while its client reads, and ends if it stops', () => {
  const socket = { bytesWritten: 10 };
  const lifecycle = response(socket, true);

  lifecycle.noteProgress(2000);
  expect(lifecycle.respondedAt).toBe(2000);
  lifecycle.noteProgress(3000);
  expect(lifecycle.respondedAt).toBe(2000);
  socket.bytesWritten = 20;
  lifecycle.noteProgress(4000);
  expect(lifecycle.respondedAt).toBe(4000);
});

it('the time limit of any other response does not depend on what its client has read', () => {
  const socket = { bytesWritten: 10 };
  const lifecycle = response(socket, false);

  socket.bytesWritten = 20;
  lifecycle.noteProgress(2000);

  expect(lifecycle.respondedAt).toBe(1000);
});
