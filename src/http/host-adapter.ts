import type { Server } from 'node:http';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyHttpOptions, FastifyReply } from 'fastify';
import type { ResponseSender } from './json/response-sender.js';

/** Nest's adapter without what the listener does itself, for routes of Nest and others alike. */
export class HostAdapter extends FastifyAdapter {
  constructor(
    /** Of what controllers answer. */
    private readonly sender: ResponseSender,
    options: FastifyHttpOptions<Server>,
  ) {
    // There is no middleware; the listener has its own reader of uploads.
    super({ ...options, skipMiddie: true, multipart: false });
  }

  /** Every answer of a controller; there is no middleware that would hand over a response of Node's. */
  override reply(response: FastifyReply, body: unknown, status?: number): FastifyReply {
    if (status !== undefined) response.status(status);
    return this.sender.send(response, body) ? response : super.reply(response, body);
  }

  override registerParserMiddleware(): void {
    // The listener has its own readers of bodies.
  }

  override setErrorHandler(): ReturnType<FastifyAdapter['setErrorHandler']> {
    return this.instance;
  }

  override setNotFoundHandler(): ReturnType<FastifyAdapter['setNotFoundHandler']> {
    return this.instance;
  }
}
