import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import fastifyCookie from '@fastify/cookie';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { type Clock, SystemClock } from '../clock/clock.js';
import { STATUS } from '../errors/error-code.js';
import { ServiceError } from '../errors/service-error.js';
import { withRequestFacts } from '../principal/request-facts.js';
import { type Random, SystemRandom } from '../random/random.js';
import type { AccessLog } from './access-log/access-log.js';
import { AccessWatch } from './access-log/access-watch.js';
import { Admission } from './admission/admission.js';
import { EmbeddedProperties } from './admission/embedded.properties.js';
import { Gate, sayClose } from './admission/gate.js';
import type { ThreadsProperties } from './admission/threads.properties.js';
import { DEFAULT_HEADERS, STRICT_TRANSPORT } from './answer-headers.js';
import { readBodies } from './body/bodies.js';
import { timeBody } from './body/body-timeout.js';
import { isCleanlyEncoded } from './body/json-body.js';
import { afterBody, askForBody, expectsBody } from './body/rest-of-body.js';
import { originForm, OUTSIDE, withoutContextPath } from './context-path.js';
import { allowOrigins } from './cors.js';
import { HostAdapter } from './host-adapter.js';
import { AnswerSender } from './json/answer-sender.js';
import { Encoding } from './json/encoding.js';
import type { EncodingProperties } from './json/encoding.properties.js';
import { JsonAnswers } from './json/json-answers.js';
import type { JsonSerializationProperties } from './json/json-serialization.properties.js';
import type { JsonProperties } from './json/json.properties.js';
import { type Complain, complainOnErrorOutput, defectLine } from './problem/defects.js';
import { PROBLEM_JSON, problemBody, problemHeaders, serviceErrorOf } from './problem/problem.js';
import { rawRefusal, refuseRaw } from './problem/raw-refusal.js';
import { ServerErrorProperties } from './problem/server-error.properties.js';
import { Forwarding } from './proxy/forwarding.js';
import { hostAndPort } from './proxy/host-and-port.js';
import { RequestIds } from './request-ids.js';
import { ServerProperties } from './server.properties.js';
import { type ListenerTls, secureServers } from './tls/secure-server.js';
import { answerUnknownRoutes } from './unknown-routes.js';
import { takeUploads, type UploadOptions } from './upload/uploads.js';

const KEPT_REQUEST_ID = /^[\w.-]{8,64}$/;
/** An IPv6 address with an IPv4 one inside. */
const LONGEST_IP = 45;
const LONGEST_AGENT = 255;
/** How often connections are looked through for late ones: a time-out is this much late at most. */
const LOOK_EVERY_MILLIS = 500;
/** So that a client that sends just before the announced end of an idle connection is still heard. */
const KEEP_ALIVE_BUFFER_MILLIS = 500;

export interface HostOptions {
  /** In front of every path; empty for none. */
  readonly contextPath?: string;
  /** Origins of other sites whose scripts may call. */
  readonly allowedOrigins?: readonly string[];
  readonly errors?: ServerErrorProperties;
  readonly server?: ServerProperties;
  readonly embedded?: EmbeddedProperties;
  /** How many requests are worked on at once; without it, all that come. */
  readonly threads?: ThreadsProperties;
  /** Unset where no route takes one. */
  readonly uploads?: UploadOptions;
  readonly encoding?: EncodingProperties;
  /** What becomes of the answers of controllers. */
  readonly json?: JsonProperties;
  readonly jsonSerialization?: JsonSerializationProperties;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly complain?: Complain;
  /** Gets a line for each request. */
  readonly accessLog?: AccessLog;
  /** Without it the listener speaks plain HTTP. */
  readonly tls?: ListenerTls;
}

/** The HTTP framework, set up so that every answer, also to what no route takes, follows http-api sections 1, 9, 10. */
export class HttpHost {
  readonly adapter: HostAdapter;
  readonly gate: Gate;
  private readonly server: ServerProperties;
  private readonly embedded: EmbeddedProperties;
  private readonly errors: ServerErrorProperties;
  private readonly forwarding: Forwarding | undefined;
  private readonly encoding: Encoding;
  private readonly clock: Clock;
  private readonly requestIds: RequestIds;
  private readonly complain: Complain;
  private readonly watch: AccessWatch | undefined;

  constructor(options: HostOptions = {}) {
    this.server = options.server ?? new ServerProperties();
    this.embedded = options.embedded ?? new EmbeddedProperties();
    this.errors = options.errors ?? new ServerErrorProperties();
    const { forwardHeadersStrategy } = this.server;
    this.forwarding = forwardHeadersStrategy === 'none' ? undefined : new Forwarding(forwardHeadersStrategy);
    this.encoding = new Encoding(options.encoding);
    this.clock = options.clock ?? new SystemClock();
    this.requestIds = new RequestIds(options.random ?? new SystemRandom());
    this.complain = options.complain ?? complainOnErrorOutput;
    this.watch = options.accessLog && new AccessWatch(options.accessLog, this.clock);
    const admission = options.threads && new Admission(options.threads.max, this.embedded.acceptCount);
    this.gate = new Gate(admission, ({ reply }) => this.watch?.end(reply));
    const json = new JsonAnswers(options.json, options.jsonSerialization, this.encoding);
    this.adapter = this.createAdapter(options.contextPath ?? '', options.tls);
    this.adapter.sender = new AnswerSender(json, this.encoding);
    const fastify = this.adapter.getInstance();
    fastify.decorateRequest('passage');
    // The first hook of all, so that whatever another one answers has the headers.
    this.adapter.setOnRequestHook((request, reply, done) => {
      this.greet(request, reply);
      const refusal = targetRefusal(request) ?? this.overload(request);
      if (refusal) {
        done(refusal);
        return;
      }
      this.beginBody(request, reply);
      withRequestFacts(factsOf(request), done);
    });
    // Here, so that a body that is slow to come has neither a slot nor a place in the queue.
    fastify.addHook('preValidation', (request, _reply, done) => {
      if (!this.gate.pass(request, done)) done(overloaded());
    });
    fastify.addHook('onSend', (request, _reply, _payload, done) => {
      request.passage?.answered();
      done();
    });
    fastify.setErrorHandler((error, request, reply) => {
      this.refuse(error, request, reply);
    });
    const { allowedOrigins = [] } = options;
    if (allowedOrigins.length > 0) allowOrigins(this.adapter, allowedOrigins);
    fastify.register(fastifyCookie, { hook: false });
    const limits = {
      json: this.server.maxHttpJsonBodySize.bytes,
      form: this.embedded.maxHttpFormPostSize.bytes,
    };
    readBodies(fastify, limits, this.encoding);
    if (options.uploads) {
      takeUploads(fastify, options.uploads, {
        limitMillis: this.embedded.connectionTimeout.milliseconds,
        onSilent: (request, reply) => {
          this.refuseLate(request, reply);
        },
      });
    }
    answerUnknownRoutes(fastify);
    this.limitConnections();
  }

  private createAdapter(contextPath: string, tls: ListenerTls | undefined): HostAdapter {
    const stripped = withoutContextPath(contextPath);
    const { milliseconds: timeout } = this.embedded.connectionTimeout;
    return new HostAdapter({
      // There is no middleware.
      skipMiddie: true,
      multipart: false,
      // While the service stops, requests on connections that are still open are answered like all others.
      return503OnClosing: false,
      ...(this.forwarding && { trustProxy: this.forwarding.isProxy }),
      keepAliveTimeout: timeout,
      // Heads have their own time-out here, bodies theirs in `beginBody`: a large upload may take its time.
      requestTimeout: 0,
      http: {
        // Node's own refusal would be none of our answers.
        requireHostHeader: false,
        maxHeaderSize: this.server.maxHttpRequestHeaderSize.bytes,
        headersTimeout: timeout,
        // Node compares the two while it makes the server, before Fastify sets the one above.
        requestTimeout: 0,
        connectionsCheckingInterval: LOOK_EVERY_MILLIS,
        keepAliveTimeoutBuffer: KEEP_ALIVE_BUFFER_MILLIS,
      },
      ...(tls && { serverFactory: secureServers(tls) }),
      genReqId: (request: IncomingMessage) => this.requestIdOf(request),
      // A path that cannot be decoded, or a parameter that is too long, would pass all hooks by.
      rewriteUrl: ({ url = '' }: IncomingMessage) => (isCleanlyEncoded(url) ? stripped(url) : OUTSIDE),
      routerOptions: { maxParamLength: this.server.maxHttpRequestHeaderSize.bytes },
      frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
        this.greet(request, reply);
        this.refuse(error, request, reply);
      },
      clientErrorHandler: (error, socket) => {
        this.refuseUnread(error, socket);
      },
    });
  }

  private limitConnections(): void {
    const { server } = this.adapter.getInstance();
    server.maxConnections = this.embedded.maxConnections;
    // Node would answer 417 by itself; whoever expects what we do not know gets an ordinary answer (RFC 9110 10.1.1).
    server.on('checkExpectation', (request, reply) => server.emit('request', request, reply));
    // Not before the request is let in: a client that is refused need not send its body.
    server.on('checkContinue', (request, reply) => server.emit('request', request, reply));
  }

  private requestIdOf({ headers }: { readonly headers: IncomingMessage['headers'] }): string {
    const sent = headers['x-request-id'];
    return typeof sent === 'string' && KEPT_REQUEST_ID.test(sent) ? sent : this.requestIds.next();
  }

  private greet(request: FastifyRequest, reply: FastifyReply): void {
    this.gate.arrive(request, reply);
    // Before anybody asks for its address, scheme or host.
    this.forwarding?.tidy(request.raw);
    this.watch?.begin(request, reply);
    reply.headers(DEFAULT_HEADERS).header('x-request-id', request.id);
    if (request.protocol === 'https') reply.header('strict-transport-security', STRICT_TRANSPORT);
  }

  /** Refuses what would only wait for its refusal, before its body is read. */
  private overload(request: FastifyRequest): ServiceError | undefined {
    return this.gate.isFullFor(request) ? overloaded() : undefined;
  }

  private beginBody(request: FastifyRequest, reply: FastifyReply): void {
    // An upload asks for its bytes itself, once its caller is known.
    if (request.passage?.facts.takesUpload) return;
    askForBody(request.raw, reply.raw);
    timeBody(request.raw, this.embedded.connectionTimeout.milliseconds, () => {
      this.refuseLate(request, reply);
    });
  }

  private refuseLate(request: FastifyRequest, reply: FastifyReply): void {
    const late = new ServiceError('VALIDATION_FAILED', { status: 408, closesConnection: true });
    if (!reply.sent) this.answer(late, request, reply);
  }

  private refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const { raw } = request;
    const hasHungUp = !raw.complete && raw.socket.destroyed;
    const line = hasHungUp ? undefined : defectLine(error, `${raw.method ?? ''} ${routeOf(request)}`, request.id);
    if (line !== undefined) this.complain(line);
    afterBody(raw, () => {
      this.answer(error, request, reply);
    });
  }

  /** Answers what is no request. */
  private refuseUnread(error: NodeJS.ErrnoException, socket: Socket): void {
    const { status, code } = rawRefusal(error.code);
    const requestId = this.requestIds.next();
    const place = { requestId, millis: this.clock.millis() };
    const body = this.encoding.json(problemBody(new ServiceError(code), place, this.errors, status));
    const isSaid = refuseRaw(socket, status, { requestId, type: this.encoding.jsonType(PROBLEM_JSON), body });
    const bytes = Buffer.byteLength(body);
    if (isSaid) this.watch?.refused(socket, { status, bytes }, this.gate.currentOf(socket)?.reply);
  }

  private answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const known = serviceErrorOf(error);
    const status = known.facts.status ?? STATUS[known.code];
    const place = { instance: pathOf(request), requestId: request.id, millis: this.clock.millis() };
    // As bytes, because text would get a character set that JSON does not have.
    const body = Buffer.from(this.encoding.json(problemBody(error, place, this.errors, status)));
    // Fastify would close it behind every body it does not like, which only those that never end need.
    if (request.raw.complete) reply.removeHeader('connection');
    else if (expectsBody(request.raw)) sayClose(reply);
    if (known.facts.closesConnection || this.gate.isClosing) sayClose(reply);
    reply
      .status(status)
      .headers({
        ...DEFAULT_HEADERS,
        ...problemHeaders(known),
        'content-type': this.encoding.jsonType(PROBLEM_JSON),
      })
      .send(body);
  }
}

function overloaded(): ServiceError {
  return new ServiceError('UNAVAILABLE', { reason: 'overloaded', closesConnection: true });
}

function factsOf({ id, ip, headers }: FastifyRequest): Parameters<typeof withRequestFacts>[0] {
  const agent = headers['user-agent']?.slice(0, LONGEST_AGENT);
  // An IPv4 caller of a listener on every address.
  const shownIp = ip.replace(/^::ffff:(?=\d+\.)/i, '').slice(0, LONGEST_IP);
  return { requestId: id, ip: shownIp, ...(agent !== undefined && { agent }) };
}

/** Why a request is refused for its target or its head alone. */
function targetRefusal({ originalUrl, raw }: FastifyRequest): ServiceError | undefined {
  return namesOneHost(raw) && isCleanlyEncoded(originalUrl) ? undefined : new ServiceError('VALIDATION_FAILED');
}

/** RFC 9112 section 3.2: exactly one in HTTP/1.1; of two, some proxy in front may have believed the other. */
function namesOneHost({ headers: { host }, rawHeaders, httpVersionMajor, httpVersion }: IncomingMessage): boolean {
  if (host === undefined) return httpVersion === '1.0';
  if (!hostAndPort(host)) return false;
  // A server of HTTP/2 has compared its two ways to name one.
  if (httpVersionMajor === 2) return true;
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count === 1;
}

function routeOf({ routeOptions }: FastifyRequest): string {
  return routeOptions.url ?? '(no route)';
}

function pathOf({ originalUrl }: FastifyRequest): string {
  return originForm(originalUrl).replace(/[?#].*$/s, '');
}
