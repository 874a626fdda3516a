import { AsyncResource } from 'node:async_hooks';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { factsOfRoute, type RouteFacts } from '../route-facts.decorator.js';
import type { Admission, Ticket } from './admission.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for every request, as the first thing of all. */
    passage?: Passage;
  }
}

/** One request between its head and the end of its answer. */
export class Passage {
  private ticket: Ticket | undefined;
  private isAnswered = false;
  private isOver = false;

  constructor(
    readonly reply: FastifyReply,
    readonly facts: RouteFacts,
  ) {}

  hold(ticket: Ticket): void {
    this.ticket = ticket;
    // Its client left while the body was read.
    if (this.isOver) this.give();
  }

  /** The handler has given its answer. */
  answered(): void {
    this.isAnswered = true;
    if (this.isOver) this.give();
  }

  /** The answer is out, or nobody is there any more to take it; false where that was known. */
  end(): boolean {
    if (this.isOver) return false;
    this.isOver = true;
    // A handler goes on working for a client that left, and so keeps the slot.
    if (this.isAnswered || this.ticket?.isWaiting === true) this.give();
    return true;
  }

  private give(): void {
    this.ticket?.leave();
    this.ticket = undefined;
  }
}

/** Where requests of one listener come in: knows those in progress, and lets only so many be worked on at once. */
export class Gate {
  private readonly present = new Set<Passage>();
  private readonly ofSocket = new WeakMap<Socket, Set<Passage>>();
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

  get isClosing(): boolean {
    return this.hasClosed;
  }

  /** True where a request ever came over the connection. */
  wasUsed(socket: Socket): boolean {
    return this.ofSocket.has(socket);
  }

  /** The request over the connection whose answer is due next. */
  currentOf(socket: Socket): Passage | undefined {
    const [first] = this.ofSocket.get(socket) ?? [];
    return first;
  }

  /** The head of a request is here. */
  arrive(request: FastifyRequest, reply: FastifyReply): void {
    const passage = new Passage(reply, factsOfRoute(request));
    request.passage = passage;
    this.present.add(passage);
    if (this.hasClosed) sayClose(reply);
    const others = request.raw.httpVersionMajor === 1 ? this.passagesOf(request.raw.socket) : undefined;
    others?.add(passage);
    reply.raw.once('close', () => {
      others?.delete(passage);
      this.end(passage);
    });
  }

  /** True where it would be refused if it asked for a slot now. */
  isFullFor({ passage }: FastifyRequest): boolean {
    return this.admission?.isFull === true && passage?.facts.isManagement !== true;
  }

  /** Goes on once the request has a slot; false where it gets none. A client that leaves before is forgotten. */
  pass({ passage }: FastifyRequest, goOn: () => void): boolean {
    if (!this.admission || !passage || passage.facts.isManagement) {
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

  /** From now on every answer asks its client to open no further request on the connection (RFC 9112 section 9.6). */
  close(): void {
    this.hasClosed = true;
    for (const { reply } of this.present) sayClose(reply);
  }

  private end(passage: Passage): void {
    this.present.delete(passage);
    if (passage.end()) this.onEnd?.(passage);
  }

  private passagesOf(socket: Socket): Set<Passage> {
    const known = this.ofSocket.get(socket);
    if (known) return known;
    const passages = new Set<Passage>();
    this.ofSocket.set(socket, passages);
    // Of several requests on one connection, Node tells only the first that the client left.
    socket.once('close', () => {
      for (const passage of passages) this.end(passage);
    });
    return passages;
  }
}

/** HTTP/2 says it once for all, by a frame of its own. */
export function sayClose(reply: FastifyReply): void {
  if (reply.request.raw.httpVersionMajor === 1) reply.header('connection', 'close');
}
