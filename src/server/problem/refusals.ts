import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../clock/clock.js';
import { STATUS } from '../../errors/error-code.js';
import { ServiceError } from '../../errors/service-error.js';
import type { AccessWatch } from '../access-log/access-watch.js';
import { type Gate, sayClose } from '../admission/gate.js';
import { DEFAULT_HEADERS } from '../answer-headers.js';
import { afterBody, expectsBody } from '../body/rest-of-body.js';
import { sendAsIs } from '../json/answer-sender.js';
import type { Encoding } from '../json/encoding.js';
import { streamOf } from '../http2-request.js';
import { pathOf } from '../request-head.js';
import type { RequestIds } from '../request-ids.js';
import { type Complain, defectLine } from './defects.js';
import { PROBLEM_JSON, problemBody, problemHeaders, serviceErrorOf } from './problem.js';
import { rawRefusal, refuseRaw } from './raw-refusal.js';
import type { ServerErrorProperties } from './server-error.properties.js';

export interface RefusalParts {
  readonly errors: ServerErrorProperties;
  readonly encoding: Encoding;
  readonly clock: Clock;
  readonly requestIds: RequestIds;
  readonly complain: Complain;
  readonly gate: Gate;
  readonly watch: AccessWatch | undefined;
}

/** Answers whatever is not answered by a handler, always in the shape of problem.ts. */
export class Refusals {
  private readonly type: string;

  constructor(private readonly parts: RefusalParts) {
    this.type = parts.encoding.jsonType(PROBLEM_JSON);
  }

  /** What a handler, a guard or the framework has thrown. */
  refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const { raw } = request;
    const hasHungUp = !raw.complete && raw.socket.destroyed;
    const line = hasHungUp ? undefined : defectLine(error, `${raw.method ?? ''} ${routeOf(request)}`, request.id);
    if (line !== undefined) this.parts.complain(line);
    request.passage?.giveTicket();
    afterBody(raw, () => {
      this.answer(error, request, reply);
    });
  }

  /** A body that has not come in time. */
  refuseLate(request: FastifyRequest, reply: FastifyReply): void {
    const late = new ServiceError('VALIDATION_FAILED', { status: 408, closesConnection: true });
    if (!reply.sent) this.answer(late, request, reply);
    // The body of a request that was answered without it.
    else if (!streamOf(request.raw)) request.raw.socket.destroy();
  }

  /** What is no request. */
  refuseUnread(error: NodeJS.ErrnoException, socket: Socket): void {
    const { errors, encoding, clock, requestIds, gate, watch } = this.parts;
    const { status, code } = rawRefusal(error.code);
    const requestId = requestIds.next();
    const place = { requestId, millis: clock.millis() };
    const body = encoding.json(problemBody(new ServiceError(code), place, errors, status));
    const isSaid = refuseRaw(socket, status, { requestId, type: this.type, body });
    const bytes = Buffer.byteLength(body);
    if (isSaid) watch?.refused(socket, { status, bytes }, gate.currentOf(socket)?.reply);
  }

  private answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const { errors, encoding, clock, gate } = this.parts;
    const known = serviceErrorOf(error);
    const status = known.facts.status ?? STATUS[known.code];
    const place = { instance: pathOf(request), requestId: request.id, millis: clock.millis() };
    const body = encoding.json(problemBody(error, place, errors, status));
    // Fastify would close it behind every body it does not like, which only those that never end need.
    if (request.raw.complete) reply.removeHeader('connection');
    else if (expectsBody(request.raw)) sayClose(reply);
    if (known.facts.closesConnection || gate.isClosing) sayClose(reply);
    sendAsIs(reply.status(status).headers({ ...DEFAULT_HEADERS, ...problemHeaders(known) }), this.type, body);
  }
}

function routeOf({ routeOptions }: FastifyRequest): string {
  return routeOptions.url ?? '(no route)';
}
