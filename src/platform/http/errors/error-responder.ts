import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../kernel/clock/clock.js';
import { STATUS } from '../../../kernel/errors/error-code.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import { LineLimit } from '../../../observability/logging/line-limit.js';
import type { Logger } from '../../../observability/logging/logger.js';
import { type RequestTracker, closeAfterResponse } from '../admission/request-tracker.js';
import { DEFAULT_HEADERS } from '../default-headers.js';
import { afterBody, hasUnreadBody } from '../body/unread-body.js';
import { type Cors, originIn } from '../cors.js';
import { sendAsIs } from '../json/response-sender.js';
import type { EncodedText, Encoding } from '../json/encoding.js';
import { sentMethod } from '../methods.js';
import { pathOf, withContextOf } from '../request-head.js';
import { type RequestIds, sentRequestId } from '../request-ids.js';
import type { RequestRecords } from '../records/request-records.js';
import { sendBareResponse } from './fallback-500.js';
import { HttpError, httpFactsOf } from './http-error.js';
import {
  PROBLEM_JSON,
  problemBody,
  problemHeaders,
  retryAfterSeconds,
  serviceErrorOf,
  failureKindOf,
} from './problem.js';
import { oauthErrorOf } from './oauth-error.js';
import { HTML, prefersPage } from '../page/layout.js';
import type { PageRenderer } from '../page/page-renderer.js';
import { problemPage } from '../page/problem-page.js';
import { type RawRejection, rawErrorOf, writeRawError } from './raw-error.js';
import type { ErrorPageOptions } from '../route-options.decorator.js';
import { authenticationPageOf, repeatedAt, signInPathOf } from './sign-in-links.js';
import { ServerErrorProperties } from '../server.properties.js';

export interface ErrorResponderOptions {
  readonly errors: ServerErrorProperties;
  readonly encoding: Encoding;
  readonly clock: Clock;
  readonly requestIds: RequestIds;
  readonly log: Logger;
  readonly tracker: RequestTracker;
  readonly records: RequestRecords;
  readonly cors: Cors | undefined;
  readonly pages: PageRenderer | undefined;
  readonly contextPath: string;
}

const JSON_TYPE = 'application/json';

/** Error pages of requests without a route. */
const UNKNOWN_ROUTE: ErrorPageOptions = { backTo: '/' };

/** An error of Node's HTTP parser, with the bytes it was reading. */
type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: unknown };

/** Sends every error response: problem details (problem.ts), or a page if the caller prefers HTML. */
export class ErrorResponder {
  private readonly type: string;
  /** Connections whose parser has failed. */
  private readonly failed = new WeakSet<Socket>();
  private readonly failures = new LineLimit();

  constructor(private readonly options: ErrorResponderOptions) {
    this.type = options.encoding.jsonType(PROBLEM_JSON);
  }

  /** Responds to an error that a handler, a guard or the framework has thrown. */
  respond(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const { raw } = request;
    const hasHungUp = !raw.complete && raw.socket.destroyed;
    if (!hasHungUp) this.log(error, request);
    request.lifecycle?.releaseSlot();
    afterBody(raw, () => {
      this.trySend(error, request, reply);
    });
  }

  /** Replaces the payload of Fastify after an error response that could not be sent; false for any other payload. */
  replaceFailedError(payload: unknown, request: FastifyRequest, reply: FastifyReply): boolean {
    const { errorBody } = request.lifecycle ?? {};
    if (errorBody === undefined || payload === errorBody) return false;
    this.log(
      new Error(`an error response could not be sent: ${typeof payload === 'string' ? payload : 'no text'}`),
      request,
    );
    this.sendFallback500(request, reply);
    return true;
  }

  /** Responds to a request whose body is not awaited any longer: 408 if it did not arrive in time. */
  respondEarly(request: FastifyRequest, reply: FastifyReply, error: ServiceError = lateBody()): void {
    // A response that is ready waits briefly for the rest of the body and then closes the connection itself.
    if (request.lifecycle?.respondedAt !== undefined && !reply.sent) return;
    if (!reply.sent) this.trySend(error, request, reply);
    // The response was sent without reading the body.
    else request.raw.socket.destroy();
  }

  /** Responds to bytes that are not a request: once per connection, after the responses to all earlier requests. */
  onClientError(error: ClientError, socket: Socket): void {
    // A failed parser fails again on every later chunk.
    if (this.failed.has(socket)) return;
    this.failed.add(socket);
    this.sendInTurn({ ...rawErrorOf(error.code), origin: originIn(error.rawPacket) }, socket);
  }

  /** Rejects CONNECT: the bytes behind it are not read as requests. */
  rejectConnect(request: IncomingMessage, socket: Socket): void {
    // Node no longer handles errors of this socket.
    socket.on('error', () => undefined).resume();
    const status = STATUS.METHOD_NOT_ALLOWED;
    this.sendInTurn({ status, code: 'METHOD_NOT_ALLOWED', allow: '', request }, socket);
  }

  private sendInTurn(error: RawRejection, socket: Socket): void {
    const pending = socket.writable ? this.options.tracker.lastPendingRequest(socket) : undefined;
    if (pending) {
      pending.reply.raw.once('close', () => {
        this.sendInTurn(error, socket);
      });
      return;
    }
    try {
      this.sendToSocket(error, socket);
    } catch {
      socket.destroy();
    }
  }

  private log(error: unknown, request: FastifyRequest): void {
    try {
      const { log } = this.options;
      const kind = failureKindOf(error);
      // Logs the reason of a rejection at DEBUG only; the caller must not learn it.
      if (kind === undefined && !log.isEnabled('DEBUG')) return;
      const { code, facts } = serviceErrorOf(error);
      const what = `${code} ${sentMethod(request.raw)} ${routeOf(request)}`;
      const admitted = kind === 'failure' ? this.failures.admit(facts.reason ?? code) : {};
      withContextOf(request, () => {
        if (kind && admitted) log.error(what, { error, ...admitted });
        else log.debug(what, { reason: facts.reason });
      });
    } catch {
      // The response must not depend on the log.
    }
  }

  private trySend(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    // The body missed its time limit while the error waited for it, and the client has got a 408.
    if (reply.sent) return;
    try {
      this.send(error, request, reply);
    } catch (failure) {
      this.log(failure, request);
      this.sendFallback500(request, reply);
    }
  }

  private sendToSocket({ status, code, allow, request, origin }: RawRejection, socket: Socket): void {
    const { errors, encoding, clock, requestIds, tracker, records, cors } = this.options;
    // The request of the body that could not be read.
    const current = tracker.currentRequest(socket);
    const reply = current?.reply;
    const requestId = reply?.request.id ?? (request && sentRequestId(request)) ?? requestIds.next();
    const place = { requestId, millis: clock.millis() };
    const error = new HttpError(code, withoutUndefined({ allow }));
    const body = encoding.json(problemBody(error, place, errors, status));
    const headers = {
      ...problemHeaders(error),
      ...cors?.headersFor((reply?.request ?? request)?.headers.origin ?? origin),
      'x-request-id': requestId,
      'content-type': this.type,
    };
    if (!writeRawError(socket, status, { headers, body })) return;
    if (current) {
      current.rawStatus = status;
      current.errorCode = code;
    }
    records.rejected(socket, { status, code, bytes: Buffer.byteLength(body), requestId, request }, current);
  }

  /** Sends a bare 500 if the error response itself fails. */
  private sendFallback500(request: FastifyRequest, reply: FastifyReply): void {
    const { encoding, clock } = this.options;
    try {
      request.lifecycle?.onResponseReady(false);
      if (reply.sent) return;
      if (request.lifecycle) request.lifecycle.errorCode = 'INTERNAL_ERROR';
      const place = { requestId: request.id, millis: clock.millis() };
      const body = problemBody(new ServiceError('INTERNAL_ERROR'), place, new ServerErrorProperties());
      sendBareResponse(reply, STATUS.INTERNAL_ERROR, this.type, encoding.json(body));
    } catch {
      reply.raw.destroy();
    }
  }

  private send(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const known = serviceErrorOf(error);
    const facts = httpFactsOf(known);
    const page = this.pageOf(known, request, reply);
    const sentOn = page && (facts.seeOther ?? authenticationPageOf(known, request, this.options.contextPath));
    const again = page && facts.isRepeated ? repeatedAt(request) : undefined;
    const oauth = request.lifecycle?.routeOptions.hasOAuthErrors ? oauthErrorOf(known) : undefined;
    const status = oauth
      ? 400
      : again !== undefined
        ? 307
        : sentOn !== undefined
          ? 303
          : (facts.status ?? STATUS[known.code]);
    const { type, body } = page ?? (oauth ? this.oauthBody(oauth) : this.problemOf(error, status, request));
    if (facts.closesConnection || hasUnreadBody(request.raw)) closeAfterResponse(reply);
    // Fastify closes the connection after any body it rejects; only an unfinished body requires that.
    else if (request.raw.complete && reply.hasHeader('connection'))
      reply.header('connection', reply.raw.shouldKeepAlive ? 'keep-alive' : 'close');
    if (request.lifecycle) {
      request.lifecycle.errorBody = body;
      request.lifecycle.errorCode = known.code;
    }
    reply.status(status).headers({ ...DEFAULT_HEADERS, ...problemHeaders(known) });
    if (page) reply.header('content-security-policy', page.policy);
    if (page?.refreshSeconds !== undefined) reply.header('refresh', String(page.refreshSeconds));
    const location = again ?? sentOn;
    if (location !== undefined) reply.header('location', location);
    sendAsIs(reply, type, body);
  }

  private oauthBody(error: object): EncodedText {
    const { encoding } = this.options;
    return { type: encoding.jsonType(JSON_TYPE), body: encoding.json(JSON.stringify(error)) };
  }

  private problemOf(error: unknown, status: number, request: FastifyRequest): EncodedText {
    const { errors, encoding, clock } = this.options;
    const place = { instance: pathOf(request), requestId: request.id, millis: clock.millis() };
    return { type: this.type, body: encoding.json(problemBody(error, place, errors, status)) };
  }

  /**
   * The error page; undefined if the response is JSON. Browsers also get a page for a path or method without a route.
   */
  private pageOf(
    error: ServiceError,
    request: FastifyRequest,
    reply: FastifyReply,
  ): (EncodedText & { readonly policy: string; readonly refreshSeconds: number | undefined }) | undefined {
    const { id, headers, lifecycle, is404 } = request;
    const { errorPages = is404 ? UNKNOWN_ROUTE : undefined } = lifecycle?.routeOptions ?? {};
    const { encoding, pages } = this.options;
    if (!pages || !errorPages || !prefersPage(headers.accept)) return undefined;
    const waitSeconds = retryAfterSeconds(error);
    if (errorPages.isBare === true) {
      const { body, policy } = pages.renderBare({ code: error.code, requestId: id, waitSeconds }, request);
      return { ...encoding.text(HTML, body), policy, refreshSeconds: undefined };
    }
    const ownPage = httpFactsOf(error).page;
    // A form must not be sent again by itself.
    const isRepeated = error.code === 'UNAVAILABLE' && request.method !== 'POST' && !ownPage;
    const shown = { code: error.code, requestId: id, waitSeconds, isRepeated };
    const { contextPath } = this.options;
    const path = signInPathOf(error, errorPages, request, contextPath);
    const leadsOn = error.code === 'MFA_REQUIRED' && errorPages.secondStepAt !== undefined && request.method !== 'POST';
    const view = ownPage ?? problemPage(shown, path, leadsOn ? contextPath + path : undefined);
    const { body, policy } = pages.render(view, request, reply);
    return { ...encoding.text(HTML, body), policy, refreshSeconds: isRepeated ? waitSeconds : undefined };
  }
}

function lateBody(): HttpError {
  return new HttpError('VALIDATION_FAILED', { status: 408, closesConnection: true });
}

function routeOf({ routeOptions }: FastifyRequest): string {
  return routeOptions.url ?? '(no route)';
}
