import type { IncomingMessage } from 'node:http';
import { hasUnreadBody } from './unread-body.js';

/** Calls `onLate` where a body that is still to come is not received whole within `limitMillis`. */
export function timeBody(request: IncomingMessage, limitMillis: number, onLate: () => void): void {
  if (!hasUnreadBody(request)) return;
  const timer = setTimeout(() => {
    if (!request.complete) onLate();
  }, limitMillis).unref();
  // Of a body that was read, at its end; of any other, with its connection.
  request.once('close', () => {
    clearTimeout(timer);
  });
}
