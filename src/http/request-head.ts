import { withoutUndefined } from '../collections/without-undefined.js';
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../errors/service-error.js';
import { HttpError } from './errors/http-error.js';
import { type RequestContext, withRequestContext } from '../principal/request-context.js';
import { isCleanlyEncoded } from '../encoding/strict-json.js';
import { originForm } from './context-path.js';
import { sentMethod, CONNECT } from './methods.js';
import { hostAndPort } from './proxy/host-and-port.js';

/** An IPv6 address with an IPv4 one inside. */
const MAX_IP_LENGTH = 45;
const MAX_USER_AGENT_LENGTH = 255;

/** Who asks, for security events and the log. */
export function requestContextOf({ id, ip, headers }: FastifyRequest): RequestContext {
  const agent = headers['user-agent']?.slice(0, MAX_USER_AGENT_LENGTH);
  // An IPv4 caller of a listener on every address; none, against its type, where the client has left.
  const shownIp = ((ip as string | undefined) ?? '').replace(/^::ffff:(?=\d+\.)/i, '').slice(0, MAX_IP_LENGTH);
  return withoutUndefined({ requestId: id, ip: shownIp, agent });
}

/** Runs what belongs to a request, but may be called from outside of it. */
export function withContextOf<T>(request: FastifyRequest, run: () => T): T {
  return withRequestContext(request.lifecycle?.context ?? requestContextOf(request), run);
}

/** Why a request is refused for its target or its head alone. */
export function targetError({ originalUrl, raw }: FastifyRequest): ServiceError | undefined {
  if (!isFramedForAll(raw)) return new HttpError('VALIDATION_FAILED', { closesConnection: true });
  return namesOneHost(raw) && isCleanlyEncoded(originalUrl) ? undefined : new ServiceError('VALIDATION_FAILED');
}

/**
 * RFC 9112 section 6.1: HTTP/1.0 knows no codings, and we none but `chunked`; a proxy in front may have seen the end of
 * such a body elsewhere.
 */
function isFramedForAll({ headers: { 'transfer-encoding': coding }, httpVersion }: IncomingMessage): boolean {
  return coding === undefined || (httpVersion !== '1.0' && coding.toLowerCase() === 'chunked');
}

/** RFC 9112 section 3.2: exactly one in HTTP/1.1; of two, some proxy in front may have believed the other. */
function namesOneHost(request: IncomingMessage): boolean {
  const { headers, rawHeaders, httpVersion } = request;
  const { host } = headers;
  if (host === undefined) return httpVersion === '1.0';
  if (!hostAndPort(host)) return false;
  // Some other version over a connection of HTTP/1.
  if (!httpVersion.startsWith('1.')) return false;
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count === 1;
}

/** The path as it was sent, without query; undefined for CONNECT, which names a host of whomever in its place. */
export function pathOf({ originalUrl, raw }: FastifyRequest): string | undefined {
  return sentMethod(raw) === CONNECT ? undefined : originForm(originalUrl).replace(/[?#].*$/s, '');
}
