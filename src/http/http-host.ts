import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import fastifyCookie from '@fastify/cookie';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SystemClock } from '../clock/clock.js';
import { Loggers } from '../logging/loggers.js';
import type { Counter } from '../metrics/meter.js';
import { Meters } from '../metrics/meters.js';
import { withRequestContext } from '../principal/request-context.js';
import { SystemRandom } from '../random/random.js';
import { AccessLogRecorder } from './records/access-log-recorder.js';
import { Admission, registerAdmissionMeters } from './admission/admission.js';
import { EmbeddedProperties } from './admission/embedded.properties.js';
import { RequestTracker, closeAfterResponse } from './admission/request-tracker.js';
import { DEFAULT_HEADERS, STRICT_TRANSPORT } from './default-headers.js';
import { bodyError, registerBodyParsers } from './body/body-parsers.js';
import { timeBody, afterBody, sendContinue, hasUnreadBody, LINGER_MILLIS } from './body/unread-body.js';
import { isCleanlyEncoded } from '../encoding/strict-json.js';
import { OUTSIDE, withoutContextPath } from './context-path.js';
import { Cors } from './cors.js';
import { ExchangeRecorder } from './records/exchange-recorder.js';
import { HostAdapter } from './host-adapter.js';
import type { HostOptions } from './host-options.js';
import { ResponseSender } from './json/response-sender.js';
import { Encoding } from './json/encoding.js';
import { JsonWriter } from './json/json-writer.js';
import { replaceUnknownMethod } from './methods.js';
import { HttpError } from './errors/http-error.js';
import { ErrorResponder } from './errors/error-responder.js';
import { ServerErrorProperties, ServerProperties } from './server.properties.js';
import { Forwarding } from './proxy/forwarding.js';
import { requestContextOf, targetError } from './request-head.js';
import { RequestIds, sentRequestId } from './request-ids.js';
import { RequestLog } from './records/request-log.js';
import { RequestMeters } from './records/request-meters.js';
import { type ListenerTls, secureServers } from './tls/secure-server.js';
import { answerUnknownRoutes } from './unknown-routes.js';
import { registerUploads } from './upload/uploads.js';

/** How often connections are looked through for late ones: a time-out is this much late at most. */
const LOOK_EVERY_MILLIS = 500;
/** So that a client that sends just before the announced end of an idle connection is still heard. */
const KEEP_ALIVE_BUFFER_MILLIS = 500;

/** One for all of them: under overload there are thousands a second, and a stack for each would cost more of it. */
const OVERLOADED = new HttpError('UNAVAILABLE', { reason: 'overloaded', closesConnection: true });

/** More than the buffers of a connection are sure to hold. */
const LONG_BYTES = 64 * 1024;

function isLong(payload: unknown): boolean {
  return (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length > LONG_BYTES;
}

/** The HTTP framework, set up so that every answer, also to what no route takes, follows http-api sections 1, 9, 10. */
export class HttpHost {
  readonly adapter: HostAdapter;
  readonly tracker: RequestTracker;
  private readonly server: ServerProperties;
  private readonly embedded: EmbeddedProperties;
  private readonly forwarding: Forwarding | undefined;
  private readonly requestIds: RequestIds;
  private readonly errorResponder: ErrorResponder;
  private readonly accessLog: AccessLogRecorder | undefined;
  private readonly requests: RequestMeters;
  private readonly rejected: Counter | undefined;
  private readonly exchanges: ExchangeRecorder | undefined;
  private readonly cors: Cors | undefined;

  constructor(options: HostOptions = {}) {
    this.server = options.server ?? new ServerProperties();
    this.embedded = options.embedded ?? new EmbeddedProperties();
    const { forwardHeadersStrategy } = this.server;
    this.forwarding = forwardHeadersStrategy === 'none' ? undefined : new Forwarding(forwardHeadersStrategy);
    const encoding = new Encoding(options.encoding);
    const clock = options.clock ?? new SystemClock();
    this.requestIds = new RequestIds(options.random ?? new SystemRandom());
    this.accessLog = options.accessLog && new AccessLogRecorder(options.accessLog, clock);
    this.exchanges = options.exchanges && new ExchangeRecorder(options.exchanges, clock);
    const admission = options.threads && new Admission(options.threads.max, this.embedded.acceptCount);
    const meters = options.meters ?? new Meters();
    this.requests = new RequestMeters(meters);
    this.rejected = admission && registerAdmissionMeters(meters, admission);
    const loggers = options.loggers ?? new Loggers();
    const requestLog = new RequestLog(loggers.get('http'));
    this.tracker = new RequestTracker(admission, (lifecycle) => {
      this.accessLog?.end(lifecycle.reply);
      this.exchanges?.end(lifecycle.reply);
      this.requests.end(lifecycle);
      requestLog.end(lifecycle);
    });
    const { allowedOrigins = [] } = options;
    this.cors = allowedOrigins.length > 0 ? new Cors(allowedOrigins) : undefined;
    this.errorResponder = new ErrorResponder({
      errors: options.errors ?? new ServerErrorProperties(),
      encoding,
      clock,
      requestIds: this.requestIds,
      log: loggers.get('server'),
      tracker: this.tracker,
      accessLog: this.accessLog,
      requests: this.requests,
      cors: this.cors,
      contextPath: options.contextPath ?? '',
    });
    const json = new JsonWriter(options.json, options.jsonSerialization, encoding);
    this.adapter = this.createAdapter(new ResponseSender(json, encoding), options.contextPath ?? '', options.tls);
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
    fastify.decorateRequest('lifecycle');
    this.exchanges?.learnRoutes(fastify);
    // The first hook of all, so that whatever another one answers has the headers.
    this.adapter.setOnRequestHook((request, reply, done) => {
      this.onRequestStart(request, reply);
      const refusal =
        this.afterClose(request) ?? targetError(request) ?? this.checkOverload(request) ?? bodyError(request);
      if (refusal) {
        done(refusal);
        return;
      }
      this.beginBody(request, reply);
      const origin = requestContextOf(request);
      if (request.lifecycle) request.lifecycle.context = origin;
      withRequestContext(origin, done);
    });
    // Here, so that a body that is slow to come has neither a slot nor a place in the queue.
    fastify.addHook('preValidation', (request, _reply, done) => {
      if (!this.tracker.admit(request, done)) done(this.overloaded());
    });
    fastify.addHook('onSend', (request, reply, payload, done) => {
      if (this.errorResponder.replaceFailedError(payload, request, reply)) return;
      this.tracker.onResponseReady(request, typeof payload === 'object' && payload !== null && 'pipe' in payload);
      // The rest of the body is not read by any handler.
      if (hasUnreadBody(request.raw)) closeAfterResponse(reply);
      // Closing on unread bytes resets the connection, and what is still on its way of a long response would be lost.
      if (isLong(payload)) afterBody(request.raw, done, this.lingerMillis);
      else done();
    });
    fastify.setErrorHandler((error, request, reply) => {
      this.errorResponder.respond(error, request, reply);
    });
  }

  private takeBodies(fastify: FastifyInstance, { bodyMemory, uploads }: HostOptions, encoding: Encoding): void {
    const limits = {
      json: this.server.maxHttpJsonBodySize.bytes,
      form: this.embedded.maxHttpFormPostSize.bytes,
      memory: bodyMemory,
    };
    registerBodyParsers(fastify, limits, encoding);
    if (uploads) {
      registerUploads(fastify, uploads, {
        limitMillis: this.embedded.connectionTimeout.milliseconds,
        onSilent: (request, reply) => {
          this.errorResponder.respondTimeout(request, reply);
        },
      });
    }
  }

  private createAdapter(sender: ResponseSender, contextPath: string, tls: ListenerTls | undefined): HostAdapter {
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
        this.onRequestStart(request, reply);
        this.errorResponder.respond(error, request, reply);
      },
      clientErrorHandler: (error, socket) => {
        this.errorResponder.onClientError(error, socket);
      },
    });
  }

  private limitConnections(): void {
    const { server } = this.adapter.getInstance();
    server.maxConnections = this.embedded.maxConnections;
    const look = setInterval(() => {
      this.tracker.closeStuckConnections(this.embedded.connectionTimeout.milliseconds);
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
      this.errorResponder.rejectConnect(request, socket);
    });
  }

  private onRequestStart(request: FastifyRequest, reply: FastifyReply): void {
    this.requests.begin(this.tracker.onRequest(request, reply));
    // Before anybody asks for its address, scheme or host.
    this.forwarding?.tidy(request.raw);
    this.accessLog?.begin(request, reply);
    this.exchanges?.begin(request, reply);
    reply.headers(DEFAULT_HEADERS).header('x-request-id', request.id);
    if (request.protocol === 'https') reply.header('strict-transport-security', STRICT_TRANSPORT);
    if (this.cors) reply.headers(this.cors.headersFor(request.headers.origin));
  }

  private afterClose({ lifecycle }: FastifyRequest): HttpError | undefined {
    return lifecycle?.isAfterClose === true
      ? new HttpError('VALIDATION_FAILED', { closesConnection: true })
      : undefined;
  }

  /** Refuses what would only wait for its refusal, before its body is read. */
  private checkOverload(request: FastifyRequest): HttpError | undefined {
    // A browser that may not ask could not show its script the refusal either.
    return request.method !== 'OPTIONS' && this.tracker.isFullFor(request) ? this.overloaded() : undefined;
  }

  private overloaded(): HttpError {
    this.rejected?.increment();
    return OVERLOADED;
  }

  private beginBody(request: FastifyRequest, reply: FastifyReply): void {
    // An upload asks for its bytes itself, once its caller is known.
    if (request.lifecycle?.routeOptions.takesUpload) return;
    sendContinue(request.raw, reply.raw);
    timeBody(request.raw, this.embedded.connectionTimeout.milliseconds, () => {
      this.errorResponder.respondTimeout(request, reply);
    });
  }
}
