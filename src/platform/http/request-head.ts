import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../kernel/errors/service-error.js';
import { HttpError } from './errors/http-error.js';
import { type RequestContext, withRequestContext } from '../../kernel/principal/request-context.js';
import { withSpan } from '../../observability/tracing/span.js';
import { isCleanlyEncoded } from '../../kernel/encoding/strict-json.js';
import { originForm } from './context-path.js';
import { sentMethod, CONNECT } from './methods.js';
import { hostAndPort } from './proxy/host-and-port.js';

/** Length of an IPv6 address that contains an IPv4 address. */
const MAX_IP_LENGTH = 45;
const MAX_USER_AGENT_LENGTH = 255;

/** The client of a request, for security events and the log. */
export function requestContextOf({ id, ip, headers }: FastifyRequest): RequestContext {
  const agent = headers['user-agent']?.slice(0, MAX_USER_AGENT_LENGTH);
  // A listener on `::` sees IPv4 addresses mapped to IPv6. Despite its type, `ip` is undefined after a disconnect.
  const shownIp = ((ip as string | undefined) ?? '').replace(/^::ffff:(?=\d+\.)/i, '').slice(0, MAX_IP_LENGTH);
  return agent === undefined ? { requestId: id, ip: shownIp } : { requestId: id, ip: shownIp, agent };
}

/** Runs code that belongs to a request in its context and, if it is traced, within its span. */
export function withContextOf<T>(request: FastifyRequest, run: () => T): T {
  const { context = requestContextOf(request), span } = request.lifecycle ?? {};
  return span ? withSpan(span, () => withRequestContext(context, run)) : withRequestContext(context, run);
}

/** Rejects a request for its target or head alone; undefined if both are valid. */
export function targetError({ originalUrl, raw }: FastifyRequest): ServiceError | undefined {
  if (!isFramedForAll(raw)) return new HttpError('VALIDATION_FAILED', { closesConnection: true });
  return namesOneHost(raw) && isCleanlyEncoded(originalUrl) ? undefined : new ServiceError('VALIDATION_FAILED');
}

/**
 * True if every proxy sees the same end of the body (RFC 9112 section 6.1): HTTP/1.0 has no transfer codings, and we
 * accept only `chunked`.
 */
function isFramedForAll({ headers: { 'transfer-encoding': coding }, httpVersion }: IncomingMessage): boolean {
  return coding === undefined || (httpVersion !== '1.0' && coding.toLowerCase() === 'chunked');
}

/**
 * True if the request names exactly one host (RFC 9112 section 3.2); of two, a proxy in front may have used the other.
 */
function namesOneHost(request: IncomingMessage): boolean {
  const { headers, rawHeaders, httpVersion } = request;
  const { host } = headers;
  if (host === undefined) return httpVersion === '1.0';
  if (!hostAndPort(host)) return false;
  // Rejects other protocol versions on an HTTP/1 connection.
  if (!httpVersion.startsWith('1.')) return false;
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count === 1;
}

/** The path as sent, without query; undefined for CONNECT, whose target is a host of the caller. */
export function pathOf({ originalUrl, raw }: FastifyRequest): string | undefined {
  return sentMethod(raw) === CONNECT ? undefined : originForm(originalUrl).replace(/[?#].*$/s, '');
}
