import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type RequestTracker, closeAfterResponse } from './admission/request-tracker.js';
import { bodyError } from './body/body-parsers.js';
import { afterBody, hasUnreadBody, LINGER_MILLIS, sendContinue, timeBody } from './body/unread-body.js';
import type { ErrorResponder } from './errors/error-responder.js';
import { HttpError } from './errors/http-error.js';
import type { HostAdapter } from './host-adapter.js';
import { requestContextOf, targetError, withContextOf } from './request-head.js';
import type { RequestStart } from './request-start.js';

/** Shared instances: overload causes thousands of errors per second, and each stack trace would add to the load. */
const OVERLOADED = new HttpError('UNAVAILABLE', { reason: 'overloaded', closesConnection: true });
const MAX_RETRY_SECONDS = 60;
/** Rejected sign-ins, by the seconds after which the caller may try again. The connection serves other requests. */
const REJECTED = rejectedSignIns(false);
/** The same for responses that were delayed: a browser sends its form again by itself. */
const REPEATED = rejectedSignIns(true);

/** The steps of every request around its handler, as hooks of the framework. */
export class RequestHooks {
  constructor(
    private readonly start: RequestStart,
    private readonly tracker: RequestTracker,
    private readonly errorResponder: ErrorResponder,
    private readonly connectionTimeoutMillis: number,
  ) {}

  register(adapter: HostAdapter): void {
    const fastify = adapter.getInstance();
    fastify.decorateRequest('lifecycle');
    // Runs first, so that every response carries the default headers.
    adapter.setOnRequestHook((request, reply, done) => {
      this.onRequest(request, reply, done);
    });
    // After the body is read: a slow body takes neither a slot nor a place in the queue.
    fastify.addHook('preValidation', (request, _reply, done) => {
      this.tracker.admit(request, (isAdmitted) => {
        if (isAdmitted) done();
        else this.reject(request, done);
      });
    });
    fastify.addHook('onSend', (request, reply, payload, done) => {
      this.onSend(request, reply, payload, done);
    });
    fastify.setErrorHandler((error, request, reply) => {
      this.errorResponder.respond(error, request, reply);
    });
  }

  private onRequest(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
    this.start.begin(request, reply);
    const error = afterClose(request) ?? targetError(request);
    if (!error && this.isOverloaded(request)) {
      this.reject(request, done);
      return;
    }
    const rejection = error ?? bodyError(request);
    if (rejection) {
      done(rejection);
      return;
    }
    this.beginBody(request, reply);
    if (request.lifecycle) request.lifecycle.context = requestContextOf(request);
    withContextOf(request, done);
  }

  private onSend(request: FastifyRequest, reply: FastifyReply, payload: unknown, done: () => void): void {
    if (this.errorResponder.replaceFailedError(payload, request, reply)) return;
    request.lifecycle?.onResponseReady(payload instanceof Readable);
    // A response to HEAD has no body (RFC 9110 section 9.3.2); Fastify would read the stream in vain.
    if (payload instanceof Readable && request.method === 'HEAD') payload.destroy();
    // The rest of the body is not read by any handler.
    if (hasUnreadBody(request.raw)) closeAfterResponse(reply);
    // An error has waited already, and a 408 must not: the late rest of the body would still reach the handler.
    if (request.lifecycle?.errorBody !== undefined) done();
    // Closing a connection with unread bytes resets it, and a client that is still writing would lose the response.
    else afterBody(request.raw, done, this.lingerMillis);
  }

  /** Shorter than the limit after which a connection with an unread response is closed. */
  private get lingerMillis(): number {
    return Math.min(LINGER_MILLIS, this.connectionTimeoutMillis / 2);
  }

  /** Counts and rejects a request under overload before its body is read. */
  private isOverloaded(request: FastifyRequest): boolean {
    // If a preflight were rejected, the script could not read the error of its request either.
    return request.method !== 'OPTIONS' && this.tracker.rejectIfFull(request);
  }

  /** Responds to a request that has just been rejected. */
  private reject(request: FastifyRequest, done: (error: Error) => void): void {
    if (!request.lifecycle?.routeOptions.hashesPassword) {
      done(OVERLOADED);
      return;
    }
    request.lifecycle.releaseSlot();
    // The wait must hold neither a body that was read nor one that arrives.
    request.body = undefined;
    request.raw.resume();
    this.tracker.delayRejection(request, (wasDelayed) => {
      const seconds = Math.min(Math.max(Math.ceil(this.tracker.passwordWait / 1000), 1), MAX_RETRY_SECONDS);
      // A browser that sent its form again at once would be rejected again.
      done((wasDelayed ? REPEATED : REJECTED)[seconds - 1] ?? OVERLOADED);
    });
  }

  private beginBody(request: FastifyRequest, reply: FastifyReply): void {
    // An upload requests its bytes itself, after its caller is authenticated.
    if (request.lifecycle?.routeOptions.takesUpload) return;
    sendContinue(request.raw, reply.raw);
    timeBody(request.raw, this.connectionTimeoutMillis, () => {
      this.errorResponder.respondEarly(request, reply);
    });
  }
}

function afterClose({ lifecycle }: FastifyRequest): HttpError | undefined {
  return lifecycle?.isAfterClose === true ? new HttpError('VALIDATION_FAILED', { closesConnection: true }) : undefined;
}

function rejectedSignIns(isRepeated: boolean): readonly HttpError[] {
  return Array.from(
    { length: MAX_RETRY_SECONDS },
    (_, second) => new HttpError('UNAVAILABLE', { reason: 'overloaded', retryAfterSeconds: second + 1, isRepeated }),
  );
}
