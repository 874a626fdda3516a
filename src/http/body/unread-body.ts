import type { IncomingMessage, ServerResponse } from 'node:http';

/** How long a refused client may go on sending before it is cut off. */
export const LINGER_MILLIS = 2000;

const asked = new WeakSet<IncomingMessage>();

/** Lets a client send its body that waits to be asked for it (RFC 9110 section 10.1.1). */
export function sendContinue(request: IncomingMessage, response: Pick<ServerResponse, 'writeContinue'>): void {
  if (!waitsToBeAsked(request) || !announcesBody(request)) return;
  asked.add(request);
  response.writeContinue();
}

/** True while bytes of a body may still come. */
export function hasUnreadBody(request: IncomingMessage): boolean {
  return !request.complete && announcesBody(request) && (!waitsToBeAsked(request) || asked.has(request));
}

/** Nobody who speaks HTTP/1.0 does, whatever is said. */
function waitsToBeAsked({ headers: { expect }, httpVersion }: IncomingMessage): boolean {
  return expect !== undefined && httpVersion !== '1.0' && /^100-continue$/i.test(expect);
}

function announcesBody(request: IncomingMessage): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
  return length !== '0' || coding !== undefined;
}

/**
 * Goes on once the body was read or, where nobody will read it, thrown away: a connection closed before would reset,
 * and the client lose its answer. A client that sends for longer than `limitMillis` takes that risk.
 */
export function afterBody(request: IncomingMessage, goOn: () => void, limitMillis = LINGER_MILLIS): void {
  if (!hasUnreadBody(request) || request.destroyed) {
    goOn();
    return;
  }
  const done = (): void => {
    clearTimeout(timer);
    request.off('end', done).off('close', done);
    goOn();
  };
  const timer = setTimeout(done, limitMillis).unref();
  request.once('end', done).once('close', done).resume();
}
