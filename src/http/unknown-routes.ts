import type { FastifyInstance, FastifyRequest, HTTPMethods } from 'fastify';
import { ServiceError } from '../errors/service-error.js';
import { HttpError } from './errors/http-error.js';
import { PREFLIGHT } from './cors.js';
import { sentMethod, CONNECT } from './methods.js';

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Answers what no route takes: 405 or, to `OPTIONS`, 204 on a path that has routes, 404 elsewhere. */
export function answerUnknownRoutes(fastify: FastifyInstance): void {
  fastify.setNotFoundHandler(async (request, reply) => {
    // Its target is no resource of ours, and allows nothing (RFC 9110 section 10.2.1).
    if (sentMethod(request.raw) === CONNECT) throw new HttpError('METHOD_NOT_ALLOWED', { allow: '' });
    const methods = methodsOf(fastify, request);
    // A route that gave a request of its own method up, such as one with an empty parameter.
    if (methods.length === 0 || methods.includes(request.method)) throw new ServiceError('NOT_FOUND');
    const allow = [...methods, 'OPTIONS'].join(', ');
    if (request.method !== 'OPTIONS') throw new HttpError('METHOD_NOT_ALLOWED', { allow });
    const isPreflight = request.headers['access-control-request-method'] !== undefined;
    if (isPreflight && reply.hasHeader('access-control-allow-origin')) reply.headers(PREFLIGHT);
    return reply.status(204).header('allow', allow).send();
  });
}

function methodsOf(fastify: FastifyInstance, { url }: FastifyRequest): readonly string[] {
  const path = url.replace(/\?.*$/s, '');
  // In asterisk form (`OPTIONS *`), which names no resource, the router would take the rest for a path.
  if (!path.startsWith('/')) return [];
  return METHODS.filter((method) => {
    // Its type leaves out that it finds nothing.
    const found = fastify.findRoute({ method, url: path }) as ReturnType<FastifyInstance['findRoute']> | null;
    if (!found) return false;
    // With an empty parameter, a route gives requests up.
    return Object.entries(found.params).every(([name, value]) => name === '*' || value !== '');
  });
}
