import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../clock/clock.js';
import type { AuthenticatedRequest } from '../../principal/access.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { originForm } from '../context-path.js';
import { sentMethod } from '../methods.js';
import { requestContextOf } from '../request-head.js';
import type { RouteOptions } from '../route-options.decorator.js';
import { sentStatus } from '../sent-status.js';
import type { HttpExchanges } from './http-exchanges.js';
import type { Headers } from '../../redaction/without-secrets.js';

interface Watched {
  readonly request: FastifyRequest & AuthenticatedRequest;
  readonly at: number;
  /** On the clock of `performance.now`. */
  readonly since: number;
  /** Scheme, host and address, as long as the connection knows them. */
  readonly origin: string;
  readonly remoteAddress: string;
}

/** Sees to it that the requests of a listener are recorded, but those of operators: their consoles ask all the time. */
export class ExchangeWatch {
  private readonly open = new WeakMap<FastifyReply, Watched>();
  /** Paths of operators, and what is below them. */
  private readonly leftOut = new Set<string>();

  constructor(
    private readonly exchanges: HttpExchanges,
    private readonly clock: Clock,
  ) {}

  /** Of operators are also requests that no route takes, such as `OPTIONS`, at or below the path of theirs. */
  learnRoutes(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', ({ path, config }) => {
      const fixed = path.replace(/\/(?:[:*].*)?$/, '');
      if ((config as RouteOptions | undefined)?.isManagement && fixed !== '') this.leftOut.add(fixed);
    });
  }

  begin(request: FastifyRequest, reply: FastifyReply): void {
    if (request.passage?.facts.isManagement || this.isLeftOut(request.url)) return;
    const origin = `${request.protocol}://${request.host}`;
    const remoteAddress = requestContextOf(request).ip;
    this.open.set(reply, { request, at: this.clock.millis(), since: performance.now(), origin, remoteAddress });
  }

  /** The answer has gone out, or its client has left. */
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

  private isLeftOut(url: string): boolean {
    const path = url.replace(/\?.*$/s, '');
    for (const fixed of this.leftOut) if (path === fixed || path.startsWith(`${fixed}/`)) return true;
    return false;
  }
}

/** As they came, names and values in turn; those that Fastify reads are what was made of them by what proxies may say. */
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

/** The id behind the cookie, never its value; an `mfa_token` has no session yet. */
function sessionOf(principal: Principal): string | undefined {
  if (principal.kind === 'full') return principal.sid;
  return principal.via === 'session' ? principal.id : undefined;
}
