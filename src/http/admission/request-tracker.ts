import { AsyncResource } from 'node:async_hooks';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorCode } from '../../errors/error-code.js';
import type { RequestContext } from '../../principal/request-context.js';
import { optionsOfRoute, type RouteOptions } from '../route-options.decorator.js';
import type { Admission, Ticket } from './admission.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for every request, as the first thing of all. */
    passage?: Passage;
  }
}

/** One request between its head and the end of its answer. */
export class Passage {
  /** When its answer was ready, on the clock of `performance.now`. */
  answeredAt: number | undefined;
  /** Who asks; undefined while its head is looked at. */
  origin: RequestContext | undefined;
  /** The body of its refusal, once that is sent. */
  refusal: string | Buffer | undefined;
  /** What its refusal says. */
  code: ErrorCode | undefined;
  /** Of a refusal that went past its reply, since its body could not be read. */
  rawStatus: number | undefined;
  /** When its head was here, on the clock of `performance.now`. */
  readonly startedAt = performance.now();
  /** Says to the meters that it is over; undefined before and after. */
  endTask: (() => void) | undefined;
  private ticket: Ticket | undefined;
  private isOver = false;

  constructor(
    readonly reply: FastifyReply,
    readonly facts: RouteOptions,
    /** Stands behind the last request of its connection. */
    readonly isStray: boolean,
    private readonly line: Line,
  ) {}

  /** It is the last one of its connection: what comes behind it must not be worked on (RFC 9112 section 9.6). */
  endLine(): void {
    this.line.hasEnded = true;
  }

  hold(ticket: Ticket): void {
    this.ticket = ticket;
    // Its client left while the body was read.
    if (this.isOver) this.giveTicket();
  }

  /** Its work is done: a client that takes its answer slowly, or sends on what nobody reads, works nobody. */
  giveTicket(): void {
    this.ticket?.leave();
    this.ticket = undefined;
  }

  /** The answer is out, or nobody is there any more to take it; false where that was known. */
  end(): boolean {
    if (this.isOver) return false;
    this.isOver = true;
    // A handler goes on working for a client that left, and so keeps the slot.
    if (this.ticket?.isWaiting) this.giveTicket();
    return true;
  }
}

/** The requests in progress on one connection. */
interface Line {
  /** In the order of their answers. */
  readonly passages: Set<Passage>;
  /** Since when there are none, on the clock of `performance.now`. */
  idleSince: number;
  /** The last request has come. */
  hasEnded: boolean;
}

/** Where requests of one listener come in: knows those in progress, and lets only so many be worked on at once. */
export class Gate {
  private readonly present = new Set<Passage>();
  private readonly lines = new Map<Socket, Line>();
  private hasClosed = false;

  /** Without an admission, everybody is let in; `onEnd` is told once of every request that is over. */
  constructor(
    private readonly admission?: Admission,
    private readonly onEnd?: (passage: Passage) => void,
  ) {}

  /** Requests whose answer is not out. */
  get inProgress(): number {
    return this.present.size;
  }

  /** The request over the connection whose answer is due next. */
  currentOf(socket: Socket): Passage | undefined {
    const [first] = this.lines.get(socket)?.passages ?? [];
    return first;
  }

  /**
   * The last request over the connection that has an answer of its own to come: it is here whole, or its answer has
   * begun. Whatever stands behind it on the connection waits for that.
   */
  lastOwedOver(socket: Socket): Passage | undefined {
    const passages = [...(this.lines.get(socket)?.passages ?? [])];
    return passages.findLast(({ reply: { raw, request } }) => request.raw.complete || raw.headersSent);
  }

  /** The head of a request is here. */
  arrive(request: FastifyRequest, reply: FastifyReply): Passage {
    const line = this.lineOf(request.raw.socket);
    const passage = new Passage(reply, optionsOfRoute(request), line.hasEnded, line);
    request.passage = passage;
    this.present.add(passage);
    line.passages.add(passage);
    // It goes on in HTTP/1.1 (RFC 9110 section 7.8), but Node has lost what stood behind it in the same piece of bytes.
    if (this.hasClosed || request.headers.upgrade !== undefined) sayClose(reply);
    reply.raw.once('close', () => {
      if (line.passages.delete(passage)) line.idleSince = performance.now();
      this.end(passage);
    });
    return passage;
  }

  /** True where it would be refused if it asked for a slot now. */
  isFullFor({ passage }: FastifyRequest): boolean {
    return this.admission?.isFull === true && passage?.facts.isManagement !== true;
  }

  /** Goes on once the request has a slot; false where it gets none. A client that leaves before is forgotten. */
  pass({ passage, is404 }: FastifyRequest, goOn: () => void): boolean {
    // What no route takes is no work.
    if (!this.admission || !passage || is404 || passage.facts.isManagement) {
      goOn();
      return true;
    }
    // Whoever waits goes on within the event of another request, whose context is none of its own.
    const ticket = this.admission.enter(this.admission.isBusy ? AsyncResource.bind(goOn) : goOn);
    if (!ticket) return false;
    passage.hold(ticket);
    if (!ticket.isWaiting) goOn();
    return true;
  }

  /** The answer is ready; one that is streamed is still worked on. */
  answered({ passage }: FastifyRequest, isStreamed: boolean): void {
    if (!passage) return;
    passage.answeredAt = performance.now();
    if (!isStreamed) passage.giveTicket();
  }

  /** From now on the last answer over every connection asks its client for no further request (RFC 9112 section 9.6). */
  close(): void {
    this.hasClosed = true;
    for (const { passages } of this.lines.values()) {
      const last = [...passages].at(-1);
      // Those before it would take the connection away from it.
      if (last) sayClose(last.reply);
    }
  }

  /**
   * Cuts clients that do not take their answers within `limitMillis`, and those who keep a connection open that long
   * after the last answer, and as long again, by bytes that never become a request.
   */
  cutStuck(limitMillis: number): void {
    const now = performance.now();
    for (const { answeredAt, reply } of this.present) {
      if (answeredAt === undefined || now - answeredAt < limitMillis) continue;
      reply.request.raw.socket.destroy();
    }
    for (const [socket, { passages, idleSince }] of this.lines) {
      if (passages.size === 0 && now - idleSince > 2 * limitMillis) socket.destroy();
    }
  }

  private end(passage: Passage): void {
    this.present.delete(passage);
    if (passage.end()) this.onEnd?.(passage);
  }

  private lineOf(socket: Socket): Line {
    const known = this.lines.get(socket);
    if (known) return known;
    const line: Line = { passages: new Set(), idleSince: performance.now(), hasEnded: false };
    this.lines.set(socket, line);
    // Of several requests on one connection, Node tells only the first that the client left.
    socket.once('close', () => {
      this.lines.delete(socket);
      for (const passage of line.passages) this.end(passage);
    });
    return line;
  }
}

/** Has the answer say that it is the last one, unless it is on its way. */
export function sayClose(reply: FastifyReply): void {
  const { raw, request } = reply;
  if (raw.headersSent) return;
  raw.shouldKeepAlive = false;
  reply.header('connection', 'close');
  request.passage?.endLine();
}
