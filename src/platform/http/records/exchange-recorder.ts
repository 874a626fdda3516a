import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../kernel/clock/clock.js';
import type { AuthenticatedRequest } from '../../../kernel/principal/access.decorator.js';
import type { Principal } from '../../../kernel/principal/principal.js';
import { originForm } from '../context-path.js';
import { sentMethod } from '../methods.js';
import { requestContextOf } from '../request-head.js';
import type { RouteOptions } from '../route-options.decorator.js';
import { sentStatus } from '../sent-status.js';
import type { HttpExchanges } from './http-exchanges.js';
import type { Headers } from '../../../kernel/redaction/http-sanitizer.js';

interface OpenExchange {
  readonly request: FastifyRequest & AuthenticatedRequest;
  readonly at: number;
  /** Arrival of the head, in milliseconds of `performance.now`. */
  readonly since: number;
  /** Scheme and host; read early, because a closed connection no longer has them. */
  readonly origin: string;
  readonly remoteAddress: string;
}

/** Records the requests of a listener, except those for management: consoles poll all the time. */
export class ExchangeRecorder {
  private readonly open = new WeakMap<FastifyReply, OpenExchange>();
  /** Paths of management routes, without parameters. */
  private readonly managementPaths = new Set<string>();

  constructor(
    private readonly exchanges: HttpExchanges,
    private readonly clock: Clock,
  ) {}

  /** Unrouted requests below a management path, such as `OPTIONS`, count as management requests. */
  learnRoutes(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', ({ path, config }) => {
      const fixed = path.replace(/\/(?:[:*].*)?$/, '');
      if ((config as RouteOptions | undefined)?.isManagement && fixed !== '') this.managementPaths.add(fixed);
    });
  }

  begin(request: FastifyRequest, reply: FastifyReply): void {
    if (request.lifecycle?.routeOptions.isManagement || this.isManagement(request.url)) return;
    const origin = `${request.protocol}://${request.host}`;
    const remoteAddress = requestContextOf(request).ip;
    this.open.set(reply, { request, at: this.clock.millis(), since: performance.now(), origin, remoteAddress });
  }

  /** Records a request whose response is sent or whose client has disconnected. */
  end(reply: FastifyReply): void {
    const watched = this.open.get(reply);
    if (!watched) return;
    this.open.delete(reply);
    const { request, at, since, origin, remoteAddress } = watched;
    const { raw, originalUrl } = request;
    this.exchanges.record({
      at,
      takenMillis: performance.now() - since,
      method: sentMethod(raw),
      origin,
      target: originForm(originalUrl),
      requestHeaders: sentHeaders(raw.rawHeaders),
      remoteAddress: remoteAddress === '' ? undefined : remoteAddress,
      principal: request.principal?.subject,
      sessionId: request.principal && sessionOf(request.principal),
      status: sentStatus(reply),
      responseHeaders: reply.getHeaders(),
    });
  }

  private isManagement(url: string): boolean {
    const path = url.replace(/\?.*$/s, '');
    for (const fixed of this.managementPaths) if (path === fixed || path.startsWith(`${fixed}/`)) return true;
    return false;
  }
}

/** Headers as sent: those of `request.headers` may have been changed by `Forwarding`. */
function sentHeaders(raw: readonly string[]): Headers {
  const headers = new Map<string, string[]>();
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const [name = '', value = ''] = raw.slice(index, index + 2);
    const values = headers.get(name.toLowerCase());
    if (values) values.push(value);
    else headers.set(name.toLowerCase(), [value]);
  }
  return Object.fromEntries(headers);
}

/** The id of the session, never the value of its cookie; an `mfa_token` has no session yet. */
function sessionOf(principal: Principal): string | undefined {
  if (principal.kind === 'full') return principal.sid;
  return principal.via === 'session' ? principal.id : undefined;
}
