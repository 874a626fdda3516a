import type { FastifyInstance, FastifyRequest, HTTPMethods } from 'fastify';
import { ServiceError } from '../../kernel/errors/service-error.js';
import { HttpError } from './errors/http-error.js';
import { PREFLIGHT } from './cors.js';
import { sentMethod, CONNECT } from './methods.js';

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Responds to requests without a route: 404, or on a path with other methods 405, or 204 to `OPTIONS`. */
export function answerUnknownRoutes(fastify: FastifyInstance): void {
  fastify.setNotFoundHandler(async (request, reply) => {
    // The target of CONNECT is not a resource of this service and allows no method (RFC 9110 section 10.2.1).
    if (sentMethod(request.raw) === CONNECT) throw new HttpError('METHOD_NOT_ALLOWED', { allow: '' });
    const methods = methodsOf(fastify, request);
    // The route rejected a request with its own method, such as one with an empty parameter.
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
  // The asterisk form (`OPTIONS *`) names no resource; the router would treat the rest as a path.
  if (!path.startsWith('/')) return [];
  return METHODS.filter((method) => {
    // The type of Fastify omits null.
    const found = fastify.findRoute({ method, url: path }) as ReturnType<FastifyInstance['findRoute']> | null;
    if (!found) return false;
    // A route rejects requests with an empty parameter.
    return Object.entries(found.params).every(([name, value]) => name === '*' || value !== '');
  });
}
