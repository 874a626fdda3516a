import type { IncomingMessage } from 'node:http';
import fastifyCookie from '@fastify/cookie';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { type Clock, SystemClock } from '../clock/clock.js';
import { STATUS } from '../errors/error-code.js';
import { ServiceError } from '../errors/service-error.js';
import { withRequestFacts } from '../principal/request-facts.js';
import { type Random, SystemRandom } from '../random/random.js';
import { DEFAULT_HEADERS, STRICT_TRANSPORT } from './answer-headers.js';
import { readBodies } from './body/bodies.js';
import { originForm, withoutContextPath } from './context-path.js';
import { allowOrigins } from './cors.js';
import { type Complain, complainOnErrorOutput, defectLine } from './problem/defects.js';
import { HostAdapter } from './host-adapter.js';
import { isCleanlyEncoded } from './body/json-body.js';
import { PROBLEM_JSON, problemBody, problemHeaders, serviceErrorOf } from './problem/problem.js';
import { rawRefusal, refuseRaw } from './problem/raw-refusal.js';
import { afterBody } from './body/rest-of-body.js';
import { ServerErrorProperties } from './problem/server-error.properties.js';
import { answerUnknownRoutes } from './unknown-routes.js';

/** Largest JSON or form body; no shape of ours comes near. */
const LARGEST_BODY_BYTES = 64 * 1024;
/** Random bytes of a request id. */
const REQUEST_ID_BYTES = 16;
const KEPT_REQUEST_ID = /^[\w.-]{8,64}$/;
/** An IPv6 address with an IPv4 one inside. */
const LONGEST_IP = 45;
const LONGEST_AGENT = 255;

export interface HostOptions {
  /** In front of every path; empty for none. */
  readonly contextPath?: string;
  /** Origins of other sites whose scripts may call. */
  readonly allowedOrigins?: readonly string[];
  readonly errors?: ServerErrorProperties;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly complain?: Complain;
}

/** The HTTP framework, set up so that every answer, also to what no route takes, follows http-api sections 1, 9, 10. */
export class HttpHost {
  readonly adapter: HostAdapter;
  private readonly errors: ServerErrorProperties;
  private readonly clock: Clock;
  private readonly random: Random;
  private readonly complain: Complain;

  constructor(options: HostOptions = {}) {
    this.errors = options.errors ?? new ServerErrorProperties();
    this.clock = options.clock ?? new SystemClock();
    this.random = options.random ?? new SystemRandom();
    this.complain = options.complain ?? complainOnErrorOutput;
    this.adapter = this.createAdapter(options.contextPath ?? '');
    const fastify = this.adapter.getInstance();
    // The first hook of all, so that whatever another one answers has the headers.
    this.adapter.setOnRequestHook((request, reply, done) => {
      this.greet(request, reply);
      const refusal = targetRefusal(request);
      if (refusal) done(refusal);
      else withRequestFacts(factsOf(request), done);
    });
    fastify.setErrorHandler((error, request, reply) => {
      this.refuse(error, request, reply);
    });
    const { allowedOrigins = [] } = options;
    if (allowedOrigins.length > 0) allowOrigins(this.adapter, allowedOrigins);
    fastify.register(fastifyCookie, { hook: false });
    readBodies(fastify);
    answerUnknownRoutes(fastify);
  }

  private createAdapter(contextPath: string): HostAdapter {
    const stripped = withoutContextPath(contextPath);
    return new HostAdapter({
      // There is no middleware.
      skipMiddie: true,
      multipart: false,
      bodyLimit: LARGEST_BODY_BYTES,
      // While the service stops, requests on connections that are still open are answered like all others.
      return503OnClosing: false,
      // Node's own refusal would be none of our answers.
      http: { requireHostHeader: false },
      genReqId: (request: IncomingMessage) => this.requestIdOf(request),
      ...(contextPath !== '' && { rewriteUrl: ({ url }: IncomingMessage) => stripped(url ?? '') }),
      // A path that cannot be decoded never reaches the hooks.
      frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
        this.greet(request, reply);
        this.refuse(error, request, reply);
      },
      clientErrorHandler: (error, socket) => {
        const refusal = rawRefusal((error as NodeJS.ErrnoException).code);
        const place = { requestId: this.random.text(REQUEST_ID_BYTES), millis: this.clock.millis() };
        const body = problemBody(new ServiceError(refusal.code), place, this.errors, refusal.status);
        refuseRaw(socket, refusal.status, { requestId: place.requestId, body });
      },
    });
  }

  private requestIdOf({ headers }: { readonly headers: IncomingMessage['headers'] }): string {
    const sent = headers['x-request-id'];
    return typeof sent === 'string' && KEPT_REQUEST_ID.test(sent) ? sent : this.random.text(REQUEST_ID_BYTES);
  }

  private greet(request: FastifyRequest, reply: FastifyReply): void {
    reply.headers(DEFAULT_HEADERS).header('x-request-id', request.id);
    if (request.protocol === 'https') reply.header('strict-transport-security', STRICT_TRANSPORT);
  }

  private refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const { raw } = request;
    const hasHungUp = !raw.complete && raw.socket.destroyed;
    const line = hasHungUp ? undefined : defectLine(error, `${raw.method ?? ''} ${routeOf(request)}`, request.id);
    if (line !== undefined) this.complain(line);
    const known = serviceErrorOf(error);
    const place = { instance: pathOf(request), requestId: request.id, millis: this.clock.millis() };
    // As bytes, because text would get a character set that JSON does not have.
    const body = Buffer.from(problemBody(error, place, this.errors));
    afterBody(raw, () => {
      // Fastify would close it behind every body it does not like, which only those that never end need.
      if (raw.complete) reply.removeHeader('connection');
      reply
        .status(STATUS[known.code])
        .headers({ ...DEFAULT_HEADERS, ...problemHeaders(known), 'content-type': PROBLEM_JSON })
        .send(body);
    });
  }
}

function factsOf({ id, ip, headers }: FastifyRequest): Parameters<typeof withRequestFacts>[0] {
  const agent = headers['user-agent']?.slice(0, LONGEST_AGENT);
  // An IPv4 caller of a listener on every address.
  const shownIp = ip.replace(/^::ffff:(?=\d+\.)/i, '').slice(0, LONGEST_IP);
  return { requestId: id, ip: shownIp, ...(agent !== undefined && { agent }) };
}

/** Why a request is refused for its target or its head alone. */
function targetRefusal({ originalUrl, headers, raw }: FastifyRequest): ServiceError | undefined {
  const hasHost = headers.host !== undefined || raw.httpVersion === '1.0';
  return hasHost && isCleanlyEncoded(originalUrl) ? undefined : new ServiceError('VALIDATION_FAILED');
}

function routeOf({ routeOptions }: FastifyRequest): string {
  return routeOptions.url ?? '(no route)';
}

function pathOf({ originalUrl }: FastifyRequest): string {
  return originForm(originalUrl).replace(/[?#].*$/s, '');
}
