import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import fastifyCookie from '@fastify/cookie';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SystemClock } from '../clock/clock.js';
import { ServiceError } from '../errors/service-error.js';
import { Loggers } from '../logging/loggers.js';
import type { Counter } from '../metrics/meter.js';
import { Meters } from '../metrics/meters.js';
import { withRequestContext } from '../principal/request-context.js';
import { SystemRandom } from '../random/random.js';
import { AccessWatch } from './records/access-watch.js';
import { Admission } from './admission/admission.js';
import { watchAdmission } from './admission/admission-meters.js';
import { EmbeddedProperties } from './admission/embedded.properties.js';
import { Gate, sayClose } from './admission/request-tracker.js';
import { DEFAULT_HEADERS, STRICT_TRANSPORT } from './default-headers.js';
import { bodyRefusal, readBodies } from './body/bodies.js';
import { timeBody } from './body/body-timeout.js';
import { isCleanlyEncoded } from '../encoding/strict-json.js';
import { afterBody, askForBody, expectsBody, LINGER_MILLIS } from './body/rest-of-body.js';
import { OUTSIDE, withoutContextPath } from './context-path.js';
import { Cors } from './cors.js';
import { ExchangeWatch } from './records/exchange-watch.js';
import { HostAdapter } from './host-adapter.js';
import type { HostOptions } from './host-options.js';
import { AnswerSender } from './json/answer-sender.js';
import { Encoding } from './json/encoding.js';
import { JsonAnswers } from './json/json-answers.js';
import { replaceUnknownMethod } from './methods.js';
import { Refusals } from './errors/error-responder.js';
import { ServerErrorProperties, ServerProperties } from './server.properties.js';
import { Forwarding } from './proxy/forwarding.js';
import { requestContextOf, sentRequestId, targetRefusal } from './request-head.js';
import { RequestIds } from './request-ids.js';
import { RequestLog } from './records/request-log.js';
import { RequestMeters } from './records/request-meters.js';
import { type ListenerTls, secureServers } from './tls/secure-server.js';
import { answerUnknownRoutes } from './unknown-routes.js';
import { takeUploads } from './upload/uploads.js';

/** How often connections are looked through for late ones: a time-out is this much late at most. */
const LOOK_EVERY_MILLIS = 500;
/** So that a client that sends just before the announced end of an idle connection is still heard. */
const KEEP_ALIVE_BUFFER_MILLIS = 500;

/** One for all of them: under overload there are thousands a second, and a stack for each would cost more of it. */
const OVERLOADED = new ServiceError('UNAVAILABLE', { reason: 'overloaded', closesConnection: true });

/** More than the buffers of a connection are sure to hold. */
const LONG_BYTES = 64 * 1024;

function isLong(payload: unknown): boolean {
  return (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length > LONG_BYTES;
}

/** The HTTP framework, set up so that every answer, also to what no route takes, follows http-api sections 1, 9, 10. */
export class HttpHost {
  readonly adapter: HostAdapter;
  readonly gate: Gate;
  private readonly server: ServerProperties;
  private readonly embedded: EmbeddedProperties;
  private readonly forwarding: Forwarding | undefined;
  private readonly requestIds: RequestIds;
  private readonly refusals: Refusals;
  private readonly watch: AccessWatch | undefined;
  private readonly requests: RequestMeters;
  private readonly rejected: Counter | undefined;
  private readonly exchanges: ExchangeWatch | undefined;
  private readonly cors: Cors | undefined;

  constructor(options: HostOptions = {}) {
    this.server = options.server ?? new ServerProperties();
    this.embedded = options.embedded ?? new EmbeddedProperties();
    const { forwardHeadersStrategy } = this.server;
    this.forwarding = forwardHeadersStrategy === 'none' ? undefined : new Forwarding(forwardHeadersStrategy);
    const encoding = new Encoding(options.encoding);
    const clock = options.clock ?? new SystemClock();
    this.requestIds = new RequestIds(options.random ?? new SystemRandom());
    this.watch = options.accessLog && new AccessWatch(options.accessLog, clock);
    this.exchanges = options.exchanges && new ExchangeWatch(options.exchanges, clock);
    const admission = options.threads && new Admission(options.threads.max, this.embedded.acceptCount);
    const meters = options.meters ?? new Meters();
    this.requests = new RequestMeters(meters);
    this.rejected = admission && watchAdmission(meters, admission);
    const loggers = options.loggers ?? new Loggers();
    const requestLog = new RequestLog(loggers.get('http'));
    this.gate = new Gate(admission, (passage) => {
      this.watch?.end(passage.reply);
      this.exchanges?.end(passage.reply);
      this.requests.end(passage);
      requestLog.end(passage);
    });
    const { allowedOrigins = [] } = options;
    this.cors = allowedOrigins.length > 0 ? new Cors(allowedOrigins) : undefined;
    this.refusals = new Refusals({
      errors: options.errors ?? new ServerErrorProperties(),
      encoding,
      clock,
      requestIds: this.requestIds,
      log: loggers.get('server'),
      gate: this.gate,
      watch: this.watch,
      requests: this.requests,
      cors: this.cors,
      contextPath: options.contextPath ?? '',
    });
    const json = new JsonAnswers(options.json, options.jsonSerialization, encoding);
    this.adapter = this.createAdapter(new AnswerSender(json, encoding), options.contextPath ?? '', options.tls);
    const fastify = this.adapter.getInstance();
    this.addHooks(fastify);
    fastify.register(fastifyCookie, { hook: false });
    this.takeBodies(fastify, options, encoding);
    answerUnknownRoutes(fastify);
    this.limitConnections();
  }

  /** Shorter than the time after which a connection whose response is not taken is cut. */
  private get lingerMillis(): number {
    return Math.min(LINGER_MILLIS, this.embedded.connectionTimeout.milliseconds / 2);
  }

  private addHooks(fastify: FastifyInstance): void {
    fastify.decorateRequest('passage');
    this.exchanges?.learnRoutes(fastify);
    // The first hook of all, so that whatever another one answers has the headers.
    this.adapter.setOnRequestHook((request, reply, done) => {
      this.greet(request, reply);
      const refusal =
        this.strayRefusal(request) ?? targetRefusal(request) ?? this.overload(request) ?? bodyRefusal(request);
      if (refusal) {
        done(refusal);
        return;
      }
      this.beginBody(request, reply);
      const origin = requestContextOf(request);
      if (request.passage) request.passage.origin = origin;
      withRequestContext(origin, done);
    });
    // Here, so that a body that is slow to come has neither a slot nor a place in the queue.
    fastify.addHook('preValidation', (request, _reply, done) => {
      if (!this.gate.pass(request, done)) done(this.overloaded());
    });
    fastify.addHook('onSend', (request, reply, payload, done) => {
      if (this.refusals.replace(payload, request, reply)) return;
      this.gate.answered(request, typeof payload === 'object' && payload !== null && 'pipe' in payload);
      // The rest of the body is not read by any handler.
      if (expectsBody(request.raw)) sayClose(reply);
      // Closing on unread bytes resets the connection, and what is still on its way of a long response would be lost.
      if (isLong(payload)) afterBody(request.raw, done, this.lingerMillis);
      else done();
    });
    fastify.setErrorHandler((error, request, reply) => {
      this.refusals.refuse(error, request, reply);
    });
  }

  private takeBodies(fastify: FastifyInstance, { bodyMemory, uploads }: HostOptions, encoding: Encoding): void {
    const limits = {
      json: this.server.maxHttpJsonBodySize.bytes,
      form: this.embedded.maxHttpFormPostSize.bytes,
      memory: bodyMemory,
    };
    readBodies(fastify, limits, encoding);
    if (uploads) {
      takeUploads(fastify, uploads, {
        limitMillis: this.embedded.connectionTimeout.milliseconds,
        onSilent: (request, reply) => {
          this.refusals.refuseLate(request, reply);
        },
      });
    }
  }

  private createAdapter(sender: AnswerSender, contextPath: string, tls: ListenerTls | undefined): HostAdapter {
    const stripped = withoutContextPath(contextPath);
    // Node takes whole ones.
    const timeout = Math.ceil(this.embedded.connectionTimeout.milliseconds);
    return new HostAdapter(sender, {
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
      genReqId: (request: IncomingMessage) => sentRequestId(request) ?? this.requestIds.next(),
      // A path that cannot be decoded, a parameter that is too long, or an unknown method would pass all hooks by.
      rewriteUrl: (request: IncomingMessage) => {
        replaceUnknownMethod(request);
        const { url = '' } = request;
        return isCleanlyEncoded(url) ? stripped(url) : OUTSIDE;
      },
      routerOptions: { maxParamLength: this.server.maxHttpRequestHeaderSize.bytes },
      frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
        this.greet(request, reply);
        this.refusals.refuse(error, request, reply);
      },
      clientErrorHandler: (error, socket) => {
        this.refusals.refuseUnread(error, socket);
      },
    });
  }

  private limitConnections(): void {
    const { server } = this.adapter.getInstance();
    server.maxConnections = this.embedded.maxConnections;
    const look = setInterval(() => {
      this.gate.cutStuck(this.embedded.connectionTimeout.milliseconds);
    }, LOOK_EVERY_MILLIS).unref();
    server.once('close', () => {
      clearInterval(look);
    });
    // Node would answer 417 by itself; whoever expects what we do not know gets an ordinary answer (RFC 9110 10.1.1).
    server.on('checkExpectation', (request, reply) => server.emit('request', request, reply));
    // Not before the request is let in: a client that is refused need not send its body.
    server.on('checkContinue', (request, reply) => server.emit('request', request, reply));
    // Node hands CONNECT over past the requests: the connection does not belong to HTTP any more.
    server.on('connect', (request: IncomingMessage, socket: Socket) => {
      this.refusals.refuseTunnel(request, socket);
    });
  }

  private greet(request: FastifyRequest, reply: FastifyReply): void {
    this.requests.begin(this.gate.arrive(request, reply));
    // Before anybody asks for its address, scheme or host.
    this.forwarding?.tidy(request.raw);
    this.watch?.begin(request, reply);
    this.exchanges?.begin(request, reply);
    reply.headers(DEFAULT_HEADERS).header('x-request-id', request.id);
    if (request.protocol === 'https') reply.header('strict-transport-security', STRICT_TRANSPORT);
    if (this.cors) reply.headers(this.cors.headersFor(request.headers.origin));
  }

  private strayRefusal({ passage }: FastifyRequest): ServiceError | undefined {
    return passage?.isStray === true ? new ServiceError('VALIDATION_FAILED', { closesConnection: true }) : undefined;
  }

  /** Refuses what would only wait for its refusal, before its body is read. */
  private overload(request: FastifyRequest): ServiceError | undefined {
    // A browser that may not ask could not show its script the refusal either.
    return request.method !== 'OPTIONS' && this.gate.isFullFor(request) ? this.overloaded() : undefined;
  }

  private overloaded(): ServiceError {
    this.rejected?.increment();
    return OVERLOADED;
  }

  private beginBody(request: FastifyRequest, reply: FastifyReply): void {
    // An upload asks for its bytes itself, once its caller is known.
    if (request.passage?.facts.takesUpload) return;
    askForBody(request.raw, reply.raw);
    timeBody(request.raw, this.embedded.connectionTimeout.milliseconds, () => {
      this.refusals.refuseLate(request, reply);
    });
  }
}
