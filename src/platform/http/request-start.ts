import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RequestTracker } from './admission/request-tracker.js';
import type { Cors } from './cors.js';
import { DEFAULT_HEADERS, STRICT_TRANSPORT } from './default-headers.js';
import type { Forwarding } from './proxy/forwarding.js';
import { optionsOfRoute } from './route-options.decorator.js';
import type { RequestRecords } from './records/request-records.js';

/** First step of every request, even of one that the framework rejects: tracking, forwarding, records, headers. */
export class RequestStart {
  constructor(
    private readonly tracker: RequestTracker,
    private readonly records: RequestRecords,
    private readonly forwarding: Forwarding | undefined,
    private readonly cors: Cors | undefined,
  ) {}

  begin(request: FastifyRequest, reply: FastifyReply): void {
    const lifecycle = this.tracker.onRequest(request, reply);
    // The records, and everything later, read address, scheme and host.
    this.forwarding?.tidy(request.raw);
    this.records.begin(lifecycle);
    reply.headers(DEFAULT_HEADERS).header('x-request-id', request.id);
    if (request.protocol === 'https') reply.header('strict-transport-security', STRICT_TRANSPORT);
    if (!this.cors) return;
    const { method, headers } = request;
    // A preflight has no route of its own: the response to the request that follows decides who may read it.
    const isForApplications = method === 'OPTIONS' || optionsOfRoute(request).isForApplications;
    reply.headers(this.cors.headersFor(headers.origin, isForApplications));
  }
}
