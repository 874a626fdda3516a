import type { IncomingMessage, ServerResponse } from 'node:http';

/** Time for which a rejected client may continue to send before its connection is closed. */
export const LINGER_MILLIS = 2000;

/** Requests whose client was sent 100 Continue. */
const continued = new WeakSet<IncomingMessage>();

/** Sends 100 Continue to a client that waits for it (RFC 9110 section 10.1.1). */
export function sendContinue(request: IncomingMessage, response: Pick<ServerResponse, 'writeContinue'>): void {
  if (!expectsContinue(request) || !hasBody(request)) return;
  continued.add(request);
  response.writeContinue();
}

/** True while bytes of a body may still arrive. */
export function hasUnreadBody(request: IncomingMessage): boolean {
  return !request.complete && hasBody(request) && (!expectsContinue(request) || continued.has(request));
}

/** True if the client waits for 100 Continue; `Expect` has no meaning in HTTP/1.0. */
function expectsContinue({ headers: { expect }, httpVersion }: IncomingMessage): boolean {
  return expect !== undefined && httpVersion !== '1.0' && /^100-continue$/i.test(expect);
}

function hasBody(request: IncomingMessage): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
  return length !== '0' || coding !== undefined;
}

/**
 * Calls `next` once the body has been read or discarded: closing the connection before that would reset it, and the client
 * would lose its response. The wait ends after `limitMillis`.
 */
export function afterBody(request: IncomingMessage, next: () => void, limitMillis = LINGER_MILLIS): void {
  if (!hasUnreadBody(request) || request.destroyed) {
    next();
    return;
  }
  const done = (): void => {
    clearTimeout(timer);
    request.off('end', done).off('close', done);
    next();
  };
  const timer = setTimeout(done, limitMillis).unref();
  request.once('end', done).once('close', done).resume();
}

/** Calls `onLate` if the rest of the body does not arrive within `limitMillis`. */
export function timeBody(request: IncomingMessage, limitMillis: number, onLate: () => void): void {
  if (!hasUnreadBody(request)) return;
  const timer = setTimeout(() => {
    if (!request.complete) onLate();
  }, limitMillis).unref();
  // `close` follows the end of a body that was read; otherwise it comes with the end of the connection.
  request.once('close', () => {
    clearTimeout(timer);
  });
}
