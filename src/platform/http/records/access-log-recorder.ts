import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../kernel/clock/clock.js';
import type { AuthenticatedRequest } from '../../../kernel/principal/access.decorator.js';
import { sentMethod } from '../methods.js';
import { sentStatus } from '../sent-status.js';
import type { AccessRecord } from './access-line.js';
import type { AccessLog } from './access-log.js';

/** A request whose line is not written yet. */
interface OpenRequest {
  readonly request: FastifyRequest & AuthenticatedRequest;
  readonly reply: FastifyReply;
  /** Address of the client; read early, because a closed connection no longer has it. */
  readonly address: string;
  readonly localAddress: string | undefined;
  readonly localPort: number | undefined;
  readonly startedAt: number;
  /** Bytes of a response without `Content-Length`. */
  streamed: number | undefined;
}

/** The error response to a request that could not be read. */
export interface UnreadRequest {
  readonly status: number;
  readonly bytes: number;
  readonly requestId: string;
  /** The head of the request, if it could be read. */
  readonly request: IncomingMessage | undefined;
}

/** Logs one line for every request of a listener, when its response is sent or its client has disconnected. */
export class AccessLogRecorder {
  private readonly open = new WeakMap<FastifyReply, OpenRequest>();

  constructor(
    private readonly log: AccessLog,
    private readonly clock: Clock,
  ) {}

  begin(request: FastifyRequest, reply: FastifyReply): void {
    const { socket } = request.raw;
    const { localAddress, localPort } = socket;
    const watched: OpenRequest = {
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

  /** Logs bytes that were not a valid request; `reply` is given if they followed the head of a request. */
  rejected(socket: Socket, rejection: UnreadRequest, reply: FastifyReply | undefined): void {
    const { status, bytes, requestId, request } = rejection;
    if (reply) {
      this.end(reply, rejection);
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

  /** Logs a request whose response is sent or whose client has disconnected. */
  end(reply: FastifyReply, rejection?: Pick<UnreadRequest, 'status' | 'bytes'>): void {
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
      ...(rejection ? { status: rejection.status, bytes: rejection.bytes } : sentBy(watched)),
      startedAt,
      endedAt: this.clock.millis(),
    });
  }
}

function requestLine(request: IncomingMessage, target = ''): NonNullable<AccessRecord['request']> {
  return { method: sentMethod(request), target, protocol: `HTTP/${request.httpVersion}` };
}

function sentBy({ request, reply, streamed }: OpenRequest): {
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
