import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { afterBody, timeBody } from './unread-body.js';

/** A request whose body has not arrived. */
function requestWithoutBody(): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  request.headers['content-length'] = '5';
  return request;
}

/** False if the call waits. */
function isAfterBody(request: IncomingMessage): boolean {
  let isCalled = false;
  afterBody(request, () => {
    isCalled = true;
  });
  return isCalled;
}

it('a response waits for a body as long as bytes of it may arrive', () => {
  const request = requestWithoutBody();
  expect(isAfterBody(request)).toBe(false);
  request.complete = true;
  expect(isAfterBody(request)).toBe(true);
});

it('a response does not wait a second time for a body that did not arrive', async () => {
  const request = requestWithoutBody();
  await new Promise<void>((resolve) => {
    afterBody(request, resolve, 1);
  });
  expect(isAfterBody(request)).toBe(true);
});

it('a 408 does not wait for the body that was late', async () => {
  const request = requestWithoutBody();
  await new Promise<void>((resolve) => {
    timeBody(request, 1, resolve);
  });
  expect(isAfterBody(request)).toBe(true);
});
