import type { IncomingMessage } from 'node:http';

/** Methods that the router knows and Fastify asks nothing more of. */
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
/** A method that no route takes, and none ever shall (security-requirements H9). */
const STAND_IN = 'TRACE';

/** What asks for a tunnel (RFC 9110 section 9.3.6). */
export const CONNECT = 'CONNECT';

const sent = new WeakMap<IncomingMessage, string>();

/**
 * Lets a request with any other method take the way of one that no route takes: what the router does not know would
 * pass all hooks by, and of some methods Fastify asks a media type before it looks for a route.
 */
export function replaceUnknownMethod(request: IncomingMessage): void {
  const { method = '' } = request;
  if (KNOWN_METHODS.has(method)) return;
  sent.set(request, method);
  request.method = STAND_IN;
}

/** The method as it was sent. */
export function sentMethod(request: IncomingMessage): string {
  return sent.get(request) ?? request.method ?? '';
}
