import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import fastifyCookie from '@fastify/cookie';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SystemClock } from '../../kernel/clock/clock.js';
import { isCleanlyEncoded } from '../../kernel/encoding/strict-json.js';
import { Loggers } from '../../observability/logging/loggers.js';
import { Meters } from '../../observability/metrics/meters.js';
import { SystemRandom } from '../../kernel/random/random.js';
import { Admission } from './admission/admission.js';
import { EmbeddedProperties } from './admission/embedded.properties.js';
import { PasswordQueue } from './admission/password-queue.js';
import { RequestPipelining } from './admission/pipelining.js';
import { type Limits, RequestTracker } from './admission/request-tracker.js';
import { registerBodyParsers } from './body/body-parsers.js';
import { OUTSIDE, withoutContextPath } from './context-path.js';
import { Cors } from './cors.js';
import { ErrorResponder } from './errors/error-responder.js';
import { HostAdapter } from './host-adapter.js';
import type { HostOptions } from './host-options.js';
import { Encoding } from './json/encoding.js';
import { JsonWriter } from './json/json-writer.js';
import { ResponseSender } from './json/response-sender.js';
import { replaceUnknownMethod } from './methods.js';
import { PageRenderer } from './page/page-renderer.js';
import { Forwarding } from './proxy/forwarding.js';
import { RequestRecords } from './records/request-records.js';
import { RequestHooks } from './request-hooks.js';
import { RequestIds, sentRequestId } from './request-ids.js';
import { RequestStart } from './request-start.js';
import { ServerErrorProperties, ServerProperties } from './server.properties.js';
import { type ListenerTls, secureServers } from './tls/secure-server.js';
import { answerUnknownRoutes } from './unknown-routes.js';
import { registerUploads } from './upload/uploads.js';

/** Interval between checks for late connections; a timeout is at most this much late. */
const CHECK_MILLIS = 500;
/** Time in which a request is still accepted after the announced end of an idle connection. */
const KEEP_ALIVE_BUFFER_MILLIS = 500;

/** Fastify, configured so that every response, even to unmatched requests, follows http-api sections 1, 9 and 10. */
/** Part of the connections that rejected sign-ins may hold until they are answered. */
const DELAYED_PART = 1 / 8;

export class HttpHost {
  readonly adapter: HostAdapter;
  readonly tracker: RequestTracker;
  private readonly server: ServerProperties;
  private readonly embedded: EmbeddedProperties;
  private readonly forwarding: Forwarding | undefined;
  private readonly requestIds: RequestIds;
  private readonly errorResponder: ErrorResponder;
  private readonly start: RequestStart;

  constructor(options: HostOptions = {}) {
    const { meters = new Meters(), loggers = new Loggers(), clock = new SystemClock(), contextPath = '' } = options;
    this.server = options.server ?? new ServerProperties();
    this.embedded = options.embedded ?? new EmbeddedProperties();
    const { forwardHeadersStrategy } = this.server;
    this.forwarding = forwardHeadersStrategy === 'none' ? undefined : new Forwarding(forwardHeadersStrategy);
    this.requestIds = new RequestIds(options.random ?? new SystemRandom());
    const encoding = new Encoding(options.encoding);
    const pages = options.pages && new PageRenderer(options.pages);
    const records = new RequestRecords({ ...options, meters }, clock, loggers.get('http'));
    const { allowedOrigins = [], applicationOrigins = [] } = options;
    this.tracker = new RequestTracker(this.limitsOf(options, meters), (lifecycle) => {
      records.end(lifecycle);
      pipelining.onEnd(lifecycle.reply.request.raw.socket);
    });
    const pipelining = new RequestPipelining(this.tracker);
    const hasCors = allowedOrigins.length + applicationOrigins.length > 0;
    const cors = hasCors ? new Cors(allowedOrigins, applicationOrigins) : undefined;
    this.start = new RequestStart(this.tracker, records, this.forwarding, cors);
    this.errorResponder = new ErrorResponder({
      errors: options.errors ?? new ServerErrorProperties(),
      encoding,
      clock,
      requestIds: this.requestIds,
      log: loggers.get('server'),
      tracker: this.tracker,
      records,
      cors,
      pages,
      contextPath,
    });
    const json = new JsonWriter(options.json, options.jsonSerialization, encoding);
    this.adapter = this.createAdapter(new ResponseSender(json, encoding, pages), contextPath, options.tls);
    const fastify = this.adapter.getInstance();
    records.learnRoutes(fastify);
    cors?.learnRoutes(fastify);
    const { milliseconds } = this.embedded.connectionTimeout;
    new RequestHooks(this.start, this.tracker, this.errorResponder, milliseconds).register(this.adapter);
    fastify.register(fastifyCookie, { hook: false });
    this.parseBodies(fastify, options, encoding);
    answerUnknownRoutes(fastify);
    pipelining.limit(fastify.server, options.tls ? 'secureConnection' : 'connection');
    this.limitConnections();
  }

  /** Time without any progress after which a listener without a free slot counts as stuck. */
  get stuckMillis(): number {
    return this.embedded.connectionTimeout.milliseconds;
  }

  private limitsOf({ threads, passwords: work }: HostOptions, meters: Meters): Limits {
    if (!threads) return {};
    const { acceptCount, maxConnections, maxWait, targetResponseTime } = this.embedded;
    const description = 'Requests rejected because a limit of requests was reached';
    const rejected = meters.counter('embedded.rejected', { description }).of();
    const onRejected = (): void => {
      rejected.increment();
    };
    const admission = Admission.metered(meters, threads.max, acceptCount, onRejected);
    if (!work) return { admission };
    const passwords = PasswordQueue.metered(meters, {
      pace: () => work.pace(),
      slots: threads.max,
      length: acceptCount,
      maxWaitMillis: maxWait.milliseconds,
      targetMillis: targetResponseTime.milliseconds,
      onRejected,
    });
    return { admission, passwords, work, delayed: Math.floor(maxConnections * DELAYED_PART) };
  }

  private parseBodies(fastify: FastifyInstance, { bodyMemory, uploads }: HostOptions, encoding: Encoding): void {
    const limits = {
      json: this.server.maxHttpJsonBodySize.bytes,
      form: this.embedded.maxHttpFormPostSize.bytes,
      memory: bodyMemory,
    };
    registerBodyParsers(fastify, limits, encoding);
    if (uploads) {
      registerUploads(fastify, uploads, {
        silenceMillis: this.embedded.connectionTimeout.milliseconds,
        respondEarly: (request, reply, error) => {
          this.errorResponder.respondEarly(request, reply, error);
        },
        slotFor: (request) => this.tracker.slotFor(request),
      });
    }
  }

  private createAdapter(sender: ResponseSender, contextPath: string, tls: ListenerTls | undefined): HostAdapter {
    const stripped = withoutContextPath(contextPath);
    // Node requires whole milliseconds.
    const headersTimeout = Math.ceil(this.embedded.connectionTimeout.milliseconds);
    const keepAliveTimeout = Math.ceil(this.embedded.keepAliveTimeout.milliseconds);
    return new HostAdapter(sender, {
      // During shutdown, requests on open connections are still handled.
      return503OnClosing: false,
      ...(this.forwarding && { trustProxy: this.forwarding.isProxy }),
      keepAliveTimeout,
      // Heads and bodies have separate limits (`headersTimeout`, `RequestHooks`): a large upload may take long.
      requestTimeout: 0,
      http: {
        // The error response of Node would not follow our format.
        requireHostHeader: false,
        maxHeaderSize: this.server.maxHttpRequestHeaderSize.bytes,
        headersTimeout,
        // Node compares the two timeouts when it creates the server, before Fastify sets the one above.
        requestTimeout: 0,
        connectionsCheckingInterval: CHECK_MILLIS,
        keepAliveTimeoutBuffer: KEEP_ALIVE_BUFFER_MILLIS,
      },
      ...(tls && { serverFactory: secureServers(tls) }),
      genReqId: (request: IncomingMessage) => sentRequestId(request) ?? this.requestIds.next(),
      // Invalid encoding, a long parameter or an unknown method would bypass all hooks.
      rewriteUrl: (request: IncomingMessage) => {
        replaceUnknownMethod(request);
        const { url = '' } = request;
        return isCleanlyEncoded(url) ? stripped(url) : OUTSIDE;
      },
      routerOptions: { maxParamLength: this.server.maxHttpRequestHeaderSize.bytes },
      frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
        this.start.begin(request, reply);
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
    const { connectionTimeout, keepAliveTimeout } = this.embedded;
    const check = setInterval(() => {
      this.tracker.closeStuckConnections(connectionTimeout.milliseconds, keepAliveTimeout.milliseconds);
    }, CHECK_MILLIS).unref();
    server.once('close', () => {
      clearInterval(check);
    });
    // Node would respond 417; an unknown expectation is ignored instead (RFC 9110 section 10.1.1).
    server.on('checkExpectation', (request, reply) => server.emit('request', request, reply));
    // 100 Continue is sent only after the checks: the client of a rejected request need not send its body.
    server.on('checkContinue', (request, reply) => server.emit('request', request, reply));
    // Node does not pass CONNECT on as a request.
    server.on('connect', (request: IncomingMessage, socket: Socket) => {
      this.errorResponder.rejectConnect(request, socket);
    });
  }
}
