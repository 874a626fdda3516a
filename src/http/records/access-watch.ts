import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../clock/clock.js';
import type { AuthenticatedRequest } from '../../principal/access.decorator.js';
import { sentMethod } from '../methods.js';
import { sentStatus } from '../sent-status.js';
import type { AccessFacts } from './access-line.js';
import type { AccessLog } from './access-log.js';

/** A request whose line is still to come. */
interface Watched {
  readonly request: FastifyRequest & AuthenticatedRequest;
  readonly reply: FastifyReply;
  /** As long as the connection knows it. */
  readonly address: string;
  readonly localAddress: string | undefined;
  readonly localPort: number | undefined;
  readonly startedAt: number;
  /** Bytes of an answer that does not say its length beforehand. */
  streamed: number | undefined;
}

/** What was answered to a request that could not be read. */
interface Refusal {
  readonly status: number;
  readonly bytes: number;
  readonly requestId: string;
  /** Its head, where that could be read. */
  readonly request: IncomingMessage | undefined;
}

/** Sees to it that every request of a listener gets one line: when its answer has gone out, or its client has left. */
export class AccessWatch {
  private readonly open = new WeakMap<FastifyReply, Watched>();

  constructor(
    private readonly log: AccessLog,
    private readonly clock: Clock,
  ) {}

  begin(request: FastifyRequest, reply: FastifyReply): void {
    const { socket } = request.raw;
    const { localAddress, localPort } = socket;
    const watched: Watched = {
      request,
      reply,
      address: request.ip,
      localAddress,
      localPort,
      startedAt: this.clock.millis(),
      streamed: undefined,
    };
    this.open.set(reply, watched);
    reply.raw.on('pipe', (source: Readable) => {
      watched.streamed = 0;
      source.on(
        'data',
        (chunk: Buffer | string) => (watched.streamed = (watched.streamed ?? 0) + Buffer.byteLength(chunk)),
      );
    });
  }

  /**
   * The line about what stood on a connection instead of a request, or behind the head of one, whose `reply` is given
   * then, and was answered without a route.
   */
  refused(socket: Socket, refusal: Refusal, reply: FastifyReply | undefined): void {
    const { status, bytes, requestId, request } = refusal;
    if (reply) {
      this.end(reply, refusal);
      return;
    }
    const now = this.clock.millis();
    this.log.record({
      address: socket.remoteAddress,
      localAddress: socket.localAddress,
      localPort: socket.localPort,
      subject: undefined,
      request: request && requestLine(request, request.url),
      referer: request?.headers.referer,
      userAgent: request?.headers['user-agent'],
      requestId,
      status,
      bytes,
      startedAt: now,
      endedAt: now,
    });
  }

  /** The answer has gone out, or its client has left. */
  end(reply: FastifyReply, refusal?: Pick<Refusal, 'status' | 'bytes'>): void {
    const watched = this.open.get(reply);
    if (!watched) return;
    this.open.delete(reply);
    const { request, address, localAddress, localPort, startedAt } = watched;
    const { headers, raw } = request;
    this.log.record({
      address,
      localAddress,
      localPort,
      subject: request.principal?.subject,
      request: requestLine(raw, request.originalUrl),
      referer: headers.referer,
      userAgent: headers['user-agent'],
      requestId: request.id,
      ...(refusal ? { status: refusal.status, bytes: refusal.bytes } : sentBy(watched)),
      startedAt,
      endedAt: this.clock.millis(),
    });
  }
}

function requestLine(request: IncomingMessage, target = ''): NonNullable<AccessFacts['request']> {
  return { method: sentMethod(request), target, protocol: `HTTP/${request.httpVersion}` };
}

function sentBy({ request, reply, streamed }: Watched): {
  readonly status: number;
  readonly bytes: number | undefined;
} {
  const isWhole = reply.raw.writableFinished && request.method !== 'HEAD';
  return { status: sentStatus(reply), bytes: isWhole ? (streamed ?? lengthOf(reply)) : undefined };
}

function lengthOf(reply: FastifyReply): number | undefined {
  const length = reply.getHeader('content-length');
  return length === undefined ? undefined : Number(length);
}
