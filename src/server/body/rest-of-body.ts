import type { IncomingMessage } from 'node:http';

/** How long a refused client may go on sending before it is cut off. */
export const LINGER_MILLIS = 2000;

/**
 * Goes on once the body was read or, where nobody will read it, thrown away: a connection closed before would reset,
 * and the client lose its answer. A client that sends for longer takes that risk.
 */
export function afterBody(request: IncomingMessage, goOn: () => void): void {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
  if (request.complete || (length === '0' && coding === undefined)) {
    goOn();
    return;
  }
  const done = (): void => {
    clearTimeout(timer);
    request.off('end', done).off('close', done);
    goOn();
  };
  const timer = setTimeout(done, LINGER_MILLIS).unref();
  request.once('end', done).once('close', done).resume();
}
