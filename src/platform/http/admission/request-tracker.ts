import { AsyncResource } from 'node:async_hooks';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { RequestContext } from '../../../kernel/principal/request-context.js';
import type { Span } from '../../../observability/tracing/span.js';
import { optionsOfRoute, type RouteOptions } from '../route-options.decorator.js';
import type { Admission, Slot } from './admission.js';
import { DelayedRejections } from './delayed-rejections.js';
import type { PasswordQueue, PasswordWork } from './password-queue.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for every request by the first hook. */
    lifecycle?: RequestLifecycle;
  }
}

/** Slot of a request without a limit on their number. */
const UNLIMITED: Slot = { isWaiting: false, leave: () => undefined };

/** One request, from its head to the end of its response. */
export class RequestLifecycle {
  /**
   * Time at which the response was ready, or the client took the last part of a streamed one, in milliseconds of
   * `performance.now`.
   */
  respondedAt: number | undefined;
  /** Bytes of a streamed response that were written to the connection at the last check. */
  streamedBytes: number | undefined;
  /** Context of the request; set once the head has been checked. */
  context: RequestContext | undefined;
  /** The body of the error response, once it is sent. */
  errorBody: string | Buffer | undefined;
  /** The code of the error response. */
  errorCode: ErrorCode | undefined;
  /** Status of an error that was written to the socket, because the body could not be read. */
  rawStatus: number | undefined;
  /** Arrival of the head, in milliseconds of `performance.now`. */
  readonly startedAt = performance.now();
  /** Stops the timer of active requests; undefined before the start and after the end. */
  endTask: (() => void) | undefined;
  /** Span of the request; undefined if it is not traced. */
  span: Span | undefined;
  hasEndedSpan = false;
  private readonly slots: Slot[] = [];
  private isOver = false;

  constructor(
    readonly reply: FastifyReply,
    readonly routeOptions: RouteOptions,
    /** True if the request arrived after the last one that its connection allows. */
    readonly isAfterClose: boolean,
    private readonly connection: ConnectionState,
  ) {}

  /** Marks the last request of the connection: later ones must not be processed (RFC 9112 section 9.6). */
  markLast(): void {
    this.connection.hasEnded = true;
  }

  /** Notes the progress of a streamed response, which may take any time as long as its client reads it. */
  noteProgress(now: number): void {
    const { bytesWritten } = this.reply.request.raw.socket;
    if (this.streamedBytes === undefined || this.streamedBytes === bytesWritten) return;
    this.streamedBytes = bytesWritten;
    this.respondedAt = now;
  }

  holdSlot(slot: Slot): void {
    this.slots.push(slot);
    // The client disconnected while the body was read.
    if (this.isOver) this.releaseSlot();
  }

  /** Frees the slot once the work is done: a client that reads or sends slowly must not occupy one. */
  releaseSlot(): void {
    // In reverse: a place that is left starts another request, which then finds the slot free.
    for (const slot of this.slots.splice(0).reverse()) slot.leave();
  }

  /** Frees the slot when the response is ready; a streamed response keeps it until the request ends. */
  onResponseReady(isStreamed: boolean): void {
    this.respondedAt = performance.now();
    if (isStreamed) this.streamedBytes = 0;
    // The client may have disconnected before the response was ready; then nothing is streamed.
    if (!isStreamed || this.isOver) this.releaseSlot();
  }

  /** Ends the request once its response is sent or its client has disconnected; false if it had ended before. */
  end(): boolean {
    if (this.isOver) return false;
    this.isOver = true;
    // A handler continues after a disconnect, so its slot stays taken until its response is ready.
    if (this.slots.some(({ isWaiting }) => isWaiting) || this.streamedBytes !== undefined) this.releaseSlot();
    return true;
  }
}

/** The requests in progress on one connection. */
interface ConnectionState {
  /** Requests in the order of their responses. */
  readonly requests: Set<RequestLifecycle>;
  /** End of the last request, in milliseconds of `performance.now`. */
  idleSince: number;
  /** True once the last request that the connection allows has arrived. */
  hasEnded: boolean;
}

/** Limits of the requests that are processed at once. */
export interface Limits {
  readonly admission?: Admission | undefined;
  /** Queue of the requests that hash a password. */
  readonly passwords?: PasswordQueue | undefined;
  readonly work?: PasswordWork | undefined;
  /** Maximum number of rejections whose response waits. */
  readonly delayed?: number | undefined;
}

/** Tracks the requests in progress on one listener and limits how many are processed at once. */
export class RequestTracker {
  private readonly inFlight = new Set<RequestLifecycle>();
  private readonly connections = new Map<Socket, ConnectionState>();
  private readonly delayed: DelayedRejections;
  private isDraining = false;

  /** By default there is no limit; `onEnd` is called once for every request that has ended. */
  constructor(
    private readonly limits: Limits = {},
    private readonly onEnd?: (lifecycle: RequestLifecycle) => void,
  ) {
    this.delayed = new DelayedRejections(limits.delayed ?? 0);
  }

  /** Number of requests whose response is not sent yet. */
  get inProgress(): number {
    return this.inFlight.size;
  }

  /** The request on the connection whose response is due next. */
  currentRequest(socket: Socket): RequestLifecycle | undefined {
    const [first] = this.connections.get(socket)?.requests ?? [];
    return first;
  }

  /**
   * The last request on the connection that still gets a response of its own: it has arrived completely, or its response
   * has begun. Bytes behind it on the connection are handled after that response.
   */
  lastPendingRequest(socket: Socket): RequestLifecycle | undefined {
    const requests = [...(this.connections.get(socket)?.requests ?? [])];
    return requests.findLast(({ reply: { raw, request } }) => request.raw.complete || raw.headersSent);
  }

  /** Number of requests on the connection that have arrived completely and whose response is not sent yet. */
  countUnanswered(socket: Socket): number {
    let count = 0;
    for (const { reply } of this.connections.get(socket)?.requests ?? []) if (reply.request.raw.complete) count += 1;
    return count;
  }

  /** Registers a request when its head has arrived. */
  onRequest(request: FastifyRequest, reply: FastifyReply): RequestLifecycle {
    const connection = this.stateOf(request.raw.socket);
    const lifecycle = new RequestLifecycle(reply, optionsOfRoute(request), connection.hasEnded, connection);
    request.lifecycle = lifecycle;
    this.inFlight.add(lifecycle);
    connection.requests.add(lifecycle);
    // An upgrade is ignored (RFC 9110 section 7.8), but Node has lost the bytes behind it in the same chunk.
    if (this.isDraining || request.headers.upgrade !== undefined) closeAfterResponse(reply);
    reply.raw.once('close', () => {
      if (connection.requests.delete(lifecycle)) connection.idleSince = performance.now();
      this.end(lifecycle);
    });
    return lifecycle;
  }

  /** Milliseconds after which a sign-in that is rejected now would be served. */
  get passwordWait(): number {
    return this.limits.passwords?.expectedWait() ?? 0;
  }

  /** False if all slots are taken and no request has begun or ended within `limitMillis`. */
  isServing(limitMillis: number): boolean {
    return !this.limits.admission?.isStuck(limitMillis);
  }

  /** Rejects a request that `admit` would reject now. */
  rejectIfFull(request: FastifyRequest): boolean {
    const { lifecycle } = request;
    const { admission } = this.limits;
    if (!admission || lifecycle?.routeOptions.isManagement) return false;
    if (admission.rejectIfFull()) return true;
    const passwords = this.passwordQueueOf(request);
    return passwords !== undefined && !passwords.hasRoom && passwords.rejectIfFull(this.ownerOf(request));
  }

  /**
   * Calls `end` once the request has a slot, or with `false` if it is rejected. For a client that disconnects before, it is
   * never called.
   */
  admit(request: FastifyRequest, end: (isAdmitted: boolean) => void): void {
    const { lifecycle, is404 } = request;
    // An unmatched request needs no slot.
    const { admission } = this.limits;
    if (!admission || !lifecycle || is404 || lifecycle.routeOptions.isManagement) {
      end(true);
      return;
    }
    const passwords = this.passwordQueueOf(request);
    if (!passwords) {
      this.enter(admission, lifecycle, end);
      return;
    }
    const onTurn = (isAdmitted: boolean): void => {
      if (isAdmitted) this.enter(admission, lifecycle, end, true);
      else end(false);
    };
    const { hasRoom } = passwords;
    const place = hasRoom
      ? passwords.enter(onTurn)
      : passwords.enter(AsyncResource.bind(onTurn), this.ownerOf(request));
    if (place) {
      lifecycle.holdSlot(place);
      if (lifecycle.context) lifecycle.context.onPasswordHashed = (): void => place.leave();
    }
    if (!place?.isWaiting) onTurn(place !== undefined);
  }

  private passwordQueueOf({ lifecycle }: FastifyRequest): PasswordQueue | undefined {
    return lifecycle?.routeOptions.hashesPassword ? this.limits.passwords : undefined;
  }

  private ownerOf({ headers }: FastifyRequest): string | undefined {
    return this.limits.work?.ownerOfDevice(headers);
  }

  private enter(
    admission: Admission,
    lifecycle: RequestLifecycle,
    end: (isAdmitted: boolean) => void,
    isDue = false,
  ): void {
    const next = (): void => {
      end(true);
    };
    // A waiting request resumes in an event of another request and would inherit its context.
    const slot = admission.enter(admission.isBusy ? AsyncResource.bind(next) : next, isDue);
    if (slot) lifecycle.holdSlot(slot);
    if (!slot?.isWaiting) end(slot !== undefined);
  }

  /**
   * Waits for a slot for work on a body that has arrived; the caller releases it.
   * @throws ServiceError `UNAVAILABLE` if there is none, and for a client that disconnects while it waits
   */
  slotFor({ raw: { socket } }: FastifyRequest): Promise<Slot> {
    const { admission } = this.limits;
    if (!admission) return Promise.resolve(UNLIMITED);
    return new Promise((resolve, reject) => {
      const cancel = (): void => {
        slot?.leave();
        reject(new ServiceError('UNAVAILABLE', { reason: 'overloaded' }));
      };
      const slot = admission.enter(() => {
        socket.off('close', cancel);
        if (slot) resolve(slot);
      });
      if (!slot || (slot.isWaiting && socket.destroyed)) cancel();
      else if (slot.isWaiting) socket.once('close', cancel);
      else resolve(slot);
    });
  }

  /** Responds to a rejected sign-in later; `wasDelayed` is false if it has to be at once. */
  delayRejection({ raw }: FastifyRequest, respond: (wasDelayed: boolean) => void): void {
    this.delayed.delay(raw.socket, respond);
  }

  /** Makes the last response on every connection announce `Connection: close` (RFC 9112 section 9.6). */
  drain(): void {
    this.isDraining = true;
    for (const { requests } of this.connections.values()) {
      const last = [...requests].at(-1);
      // `Connection: close` on an earlier response would lose this one.
      if (last) closeAfterResponse(last.reply);
    }
    this.delayed.flush();
  }

  /**
   * Closes connections whose client does not read its response, or the next part of a streamed one, within `limitMillis`,
   * and connections that stay open for `limitMillis` longer than `keepAliveMillis` after the last response because of bytes
   * that never become a request.
   */
  closeStuckConnections(limitMillis: number, keepAliveMillis: number): void {
    const now = performance.now();
    for (const lifecycle of this.inFlight) {
      lifecycle.noteProgress(now);
      const { respondedAt, reply } = lifecycle;
      if (respondedAt === undefined || now - respondedAt < limitMillis) continue;
      reply.request.raw.socket.destroy();
    }
    for (const [socket, { requests, idleSince }] of this.connections) {
      if (requests.size === 0 && now - idleSince > keepAliveMillis + limitMillis) socket.destroy();
    }
  }

  private end(lifecycle: RequestLifecycle): void {
    this.inFlight.delete(lifecycle);
    if (lifecycle.end()) this.onEnd?.(lifecycle);
  }

  private stateOf(socket: Socket): ConnectionState {
    const known = this.connections.get(socket);
    if (known) return known;
    const connection: ConnectionState = { requests: new Set(), idleSince: performance.now(), hasEnded: false };
    this.connections.set(socket, connection);
    // Node reports a disconnect only to the first of several requests on one connection.
    socket.once('close', () => {
      this.connections.delete(socket);
      for (const lifecycle of connection.requests) this.end(lifecycle);
    });
    return connection;
  }
}

/** Announces the end of the connection in the response, unless its head is already sent. */
export function closeAfterResponse(reply: FastifyReply): void {
  const { raw, request } = reply;
  if (raw.headersSent) return;
  raw.shouldKeepAlive = false;
  reply.header('connection', 'close');
  request.lifecycle?.markLast();
}
