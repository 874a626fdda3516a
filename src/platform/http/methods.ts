import type { IncomingMessage } from 'node:http';

/** Methods that the router knows and that need no further check by Fastify. */
export const KNOWN_METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
]);
/** A method that no route may ever have (security-requirements H9). */
const STAND_IN = 'TRACE';

/** The method that requests a tunnel (RFC 9110 section 9.3.6). */
export const CONNECT = 'CONNECT';

const sent = new WeakMap<IncomingMessage, string>();

/**
 * Replaces an unknown method by one without routes. An unknown method would bypass all hooks, and for some methods
 * Fastify checks the media type before it looks for a route.
 */
export function replaceUnknownMethod(request: IncomingMessage): void {
  const { method = '' } = request;
  if (KNOWN_METHODS.has(method)) return;
  sent.set(request, method);
  request.method = STAND_IN;
}

/** The method that the client sent. */
export function sentMethod(request: IncomingMessage): string {
  return sent.get(request) ?? request.method ?? '';
}
