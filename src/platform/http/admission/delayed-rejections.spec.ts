import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { DelayedRejections } from './delayed-rejections.js';

const LIMIT = 20;

let rejections: DelayedRejections;
let responses: boolean[];

/** Delays one response, and returns the connection of its client. */
function delay(): Socket {
  const socket = new EventEmitter() as Socket;
  rejections.delay(socket, (wasDelayed) => responses.push(wasDelayed));
  return socket;
}

beforeEach(() => {
  vi.useFakeTimers();
  rejections = new DelayedRejections(LIMIT);
  responses = [];
});

afterEach(() => {
  vi.useRealTimers();
});

it('a response is sent after a second', () => {
  delay();

  vi.advanceTimersByTime(999);
  expect(responses).toEqual([]);

  vi.advanceTimersByTime(101);
  expect(responses).toEqual([true]);
});

it('a response that follows others is sent after a second, too', () => {
  delay();
  vi.advanceTimersByTime(550);
  delay();

  vi.advanceTimersByTime(999);
  expect(responses).toEqual([true]);

  vi.advanceTimersByTime(101);
  expect(responses).toEqual([true, true]);
});

it('beyond the limit, a response is sent at once, until others have been sent', () => {
  for (let count = 0; count < LIMIT; count += 1) delay();

  delay();
  expect(responses).toEqual([false]);

  vi.advanceTimersByTime(1100);
  delay();
  expect(responses).toHaveLength(LIMIT + 1);
});

it('the response to a client that disconnects ends at once, and frees its place', () => {
  for (let count = 1; count < LIMIT; count += 1) delay();
  const socket = delay();

  socket.emit('close');
  expect(responses).toEqual([true]);

  delay();
  vi.advanceTimersByTime(1100);
  expect(responses).toHaveLength(LIMIT + 1);
});

it('a shutdown sends all responses, and later ones at once', () => {
  delay();

  rejections.flush();
  delay();

  expect(responses).toEqual([false, false]);
  expect(vi.getTimerCount()).toBe(0);
});
