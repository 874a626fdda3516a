import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../clock/clock.js';
import { STATUS } from '../../errors/error-code.js';
import { ServiceError } from '../../errors/service-error.js';
import type { Logger } from '../../logging/logger.js';
import type { AccessWatch } from '../records/access-watch.js';
import { type Gate, sayClose } from '../admission/request-tracker.js';
import { DEFAULT_HEADERS } from '../default-headers.js';
import { afterBody, expectsBody } from '../body/rest-of-body.js';
import { type Cors, originIn } from '../cors.js';
import { sendAsIs } from '../json/answer-sender.js';
import type { EncodedText, Encoding } from '../json/encoding.js';
import { sentMethod } from '../methods.js';
import { pathOf, sentRequestId, withContextOf } from '../request-head.js';
import type { RequestIds } from '../request-ids.js';
import type { RequestMeters } from '../records/request-meters.js';
import { answerBarely } from './bare-answer.js';
import { defectCode } from './defects.js';
import { HTML, PAGE_POLICY, prefersPage } from '../page.js';
import { PROBLEM_JSON, problemBody, problemHeaders, serviceErrorOf, waitOf } from './problem.js';
import { problemPage } from './problem-page.js';
import { type RawRefusal, rawRefusal, refuseRaw } from './raw-refusal.js';
import { ServerErrorProperties } from '../server.properties.js';

export interface RefusalParts {
  readonly errors: ServerErrorProperties;
  readonly encoding: Encoding;
  readonly clock: Clock;
  readonly requestIds: RequestIds;
  readonly log: Logger;
  readonly gate: Gate;
  readonly watch: AccessWatch | undefined;
  readonly requests: RequestMeters;
  readonly cors: Cors | undefined;
  readonly contextPath: string;
}

/** What Node's HTTP parser says, with the bytes it was reading. */
type UnreadError = NodeJS.ErrnoException & { readonly rawPacket?: unknown };

/** Answers whatever is not answered by a handler: in the shape of problem.ts or, where a person asked a page, as one. */
export class Refusals {
  private readonly type: string;
  /** Connections over which no further request is read. */
  private readonly unread = new WeakSet<Socket>();

  constructor(private readonly parts: RefusalParts) {
    this.type = parts.encoding.jsonType(PROBLEM_JSON);
  }

  /** What a handler, a guard or the framework has thrown. */
  refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const { raw } = request;
    const hasHungUp = !raw.complete && raw.socket.destroyed;
    if (!hasHungUp) this.tell(error, request);
    request.passage?.giveTicket();
    afterBody(raw, () => {
      this.answer(error, request, reply);
    });
  }

  /** Answers in place of what Fastify says where a refusal could not be sent; false where `payload` is nothing of that. */
  replace(payload: unknown, request: FastifyRequest, reply: FastifyReply): boolean {
    const { refusal } = request.passage ?? {};
    if (refusal === undefined || payload === refusal) return false;
    this.tell(new Error(`a refusal could not be sent: ${typeof payload === 'string' ? payload : 'no text'}`), request);
    this.answerBarely(request, reply);
    return true;
  }

  /** A body that has not come in time. */
  refuseLate(request: FastifyRequest, reply: FastifyReply): void {
    // A response that is ready waits for the rest of the body for a moment, and then ends the connection itself.
    if (request.passage?.answeredAt !== undefined && !reply.sent) return;
    const late = new ServiceError('VALIDATION_FAILED', { status: 408, closesConnection: true });
    if (!reply.sent) this.answer(late, request, reply);
    // The body of a request that was answered without it.
    else request.raw.socket.destroy();
  }

  /** What is no request: once on a connection, and behind the answers to all that stood before it. */
  refuseUnread(error: UnreadError, socket: Socket): void {
    // A parser that has failed fails with all that comes behind.
    if (this.unread.has(socket)) return;
    this.unread.add(socket);
    this.refuseInTurn({ ...rawRefusal(error.code), origin: originIn(error.rawPacket) }, socket);
  }

  /** A CONNECT request: no byte behind it is read as a request. */
  refuseTunnel(request: IncomingMessage, socket: Socket): void {
    // Node listens to the connection no more.
    socket.on('error', () => undefined).resume();
    const status = STATUS.METHOD_NOT_ALLOWED;
    this.refuseInTurn({ status, code: 'METHOD_NOT_ALLOWED', allow: '', request }, socket);
  }

  private refuseInTurn(refusal: RawRefusal, socket: Socket): void {
    const owed = socket.writable ? this.parts.gate.lastOwedOver(socket) : undefined;
    if (owed) {
      owed.reply.raw.once('close', () => {
        this.refuseInTurn(refusal, socket);
      });
      return;
    }
    try {
      this.sendRaw(refusal, socket);
    } catch {
      socket.destroy();
    }
  }

  private tell(error: unknown, request: FastifyRequest): void {
    try {
      const { log } = this.parts;
      const defect = defectCode(error);
      // The reason of a refusal, which its caller must not know, is for who investigates.
      if (defect === undefined && !log.isEnabled('DEBUG')) return;
      const { code, facts } = serviceErrorOf(error);
      const what = `${code} ${sentMethod(request.raw)} ${routeOf(request)}`;
      withContextOf(request, () => {
        if (defect === undefined) log.debug(what, { reason: facts.reason });
        else log.error(what, error);
      });
    } catch {
      // Whoever asks is answered all the same.
    }
  }

  private answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    try {
      this.send(error, request, reply);
    } catch (failure) {
      this.tell(failure, request);
      this.answerBarely(request, reply);
    }
  }

  private sendRaw({ status, code, allow, request, origin }: RawRefusal, socket: Socket): void {
    const { errors, encoding, clock, requestIds, gate, watch, requests, cors } = this.parts;
    // Whose body it is that could not be read.
    const current = gate.currentOf(socket);
    const reply = current?.reply;
    const requestId = reply?.request.id ?? (request && sentRequestId(request)) ?? requestIds.next();
    const place = { requestId, millis: clock.millis() };
    const error = new ServiceError(code, { ...(allow !== undefined && { allow }) });
    const body = encoding.json(problemBody(error, place, errors, status));
    const headers = {
      ...problemHeaders(error),
      ...cors?.headersFor((reply?.request ?? request)?.headers.origin ?? origin),
      'x-request-id': requestId,
      'content-type': this.type,
    };
    if (!refuseRaw(socket, status, { headers, body })) return;
    watch?.refused(socket, { status, bytes: Buffer.byteLength(body), requestId, request }, reply);
    if (!current) {
      requests.refused(request?.method, { status, code });
      return;
    }
    Object.assign(current, { rawStatus: status, code });
    requests.end(current);
  }

  /** Where not even a refusal can be made or sent. */
  private answerBarely(request: FastifyRequest, reply: FastifyReply): void {
    const { encoding, clock, gate } = this.parts;
    try {
      gate.answered(request, false);
      if (reply.sent) return;
      if (request.passage) request.passage.code = 'INTERNAL_ERROR';
      const place = { requestId: request.id, millis: clock.millis() };
      const body = problemBody(new ServiceError('INTERNAL_ERROR'), place, new ServerErrorProperties());
      answerBarely(reply, STATUS.INTERNAL_ERROR, this.type, encoding.json(body));
    } catch {
      reply.raw.destroy();
    }
  }

  private send(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const known = serviceErrorOf(error);
    const page = this.pageOf(known, request);
    const sentOn = page && known.facts.seeOther;
    const status = sentOn === undefined ? (known.facts.status ?? STATUS[known.code]) : 303;
    const { type, body } = page ?? this.problemOf(error, status, request);
    if (known.facts.closesConnection || expectsBody(request.raw)) sayClose(reply);
    // Fastify would close it behind every body it does not like, which only those that never end need.
    else if (request.raw.complete && reply.hasHeader('connection'))
      reply.header('connection', reply.raw.shouldKeepAlive ? 'keep-alive' : 'close');
    if (request.passage) {
      request.passage.refusal = body;
      request.passage.code = known.code;
    }
    reply.status(status).headers({ ...DEFAULT_HEADERS, ...problemHeaders(known) });
    if (page) reply.header('content-security-policy', PAGE_POLICY);
    if (sentOn !== undefined) reply.header('location', sentOn);
    sendAsIs(reply, type, body);
  }

  private problemOf(error: unknown, status: number, request: FastifyRequest): EncodedText {
    const { errors, encoding, clock } = this.parts;
    const place = { instance: pathOf(request), requestId: request.id, millis: clock.millis() };
    return { type: this.type, body: encoding.json(problemBody(error, place, errors, status)) };
  }

  /** Undefined where JSON is due. */
  private pageOf(error: ServiceError, { id, headers, passage }: FastifyRequest): EncodedText | undefined {
    const { errorPages } = passage?.facts ?? {};
    if (!errorPages || !prefersPage(headers.accept)) return undefined;
    const { encoding, contextPath } = this.parts;
    const told = { code: error.code, requestId: id, waitSeconds: waitOf(error) };
    return encoding.text(HTML, error.facts.page ?? problemPage(told, `${contextPath}${errorPages.backTo}`));
  }
}

function routeOf({ routeOptions }: FastifyRequest): string {
  return routeOptions.url ?? '(no route)';
}
