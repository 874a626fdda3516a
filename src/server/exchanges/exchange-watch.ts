import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../clock/clock.js';
import type { AuthenticatedRequest } from '../../principal/access.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { originForm } from '../context-path.js';
import { sentMethod } from '../methods.js';
import { requestFactsOf } from '../request-head.js';
import { sentStatus } from '../sent-status.js';
import type { HttpExchanges } from './http-exchanges.js';

interface Watched {
  readonly request: FastifyRequest & AuthenticatedRequest;
  readonly at: number;
  /** On the clock of `performance.now`. */
  readonly since: number;
  /** As long as the connection knows it. */
  readonly remoteAddress: string;
}

/** Sees to it that the requests of a listener are recorded, but those of operators: their consoles ask all the time. */
export class ExchangeWatch {
  private readonly open = new WeakMap<FastifyReply, Watched>();

  constructor(
    private readonly exchanges: HttpExchanges,
    private readonly clock: Clock,
  ) {}

  begin(request: FastifyRequest, reply: FastifyReply): void {
    if (request.passage?.facts.isManagement) return;
    const remoteAddress = requestFactsOf(request).ip;
    this.open.set(reply, { request, at: this.clock.millis(), since: performance.now(), remoteAddress });
  }

  /** The answer has gone out, or its client has left. */
  end(reply: FastifyReply): void {
    const watched = this.open.get(reply);
    if (!watched) return;
    this.open.delete(reply);
    const { request, at, since, remoteAddress } = watched;
    const { raw, protocol, host, originalUrl, headers } = request;
    this.exchanges.record({
      at,
      takenMillis: performance.now() - since,
      method: sentMethod(raw),
      origin: `${protocol}://${host}`,
      target: originForm(originalUrl),
      requestHeaders: headers,
      remoteAddress: remoteAddress === '' ? undefined : remoteAddress,
      principal: request.principal?.subject,
      sessionId: request.principal && sessionOf(request.principal),
      status: sentStatus(reply),
      responseHeaders: reply.getHeaders(),
    });
  }
}

/** The id behind the cookie, never its value; an `mfa_token` has no session yet. */
function sessionOf(principal: Principal): string | undefined {
  if (principal.kind === 'full') return principal.sid;
  return principal.via === 'session' ? principal.id : undefined;
}
