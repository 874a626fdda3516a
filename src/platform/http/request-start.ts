import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RequestTracker } from './admission/request-tracker.js';
import type { Cors } from './cors.js';
import { DEFAULT_HEADERS, STRICT_TRANSPORT } from './default-headers.js';
import type { Forwarding } from './proxy/forwarding.js';
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
    const isOwnHost = lifecycle.routeOptions.isAtApplications !== true;
    if (isOwnHost && request.protocol === 'https') reply.header('strict-transport-security', STRICT_TRANSPORT);
    if (this.cors) reply.headers(this.cors.headersOf(request));
  }
}
