import type { Server } from 'node:http';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyHttpOptions, FastifyReply } from 'fastify';
import type { ResponseSender } from './json/response-sender.js';

/** Adapter of Nest without the parts that the listener replaces. */
export class HostAdapter extends FastifyAdapter {
  constructor(
    /** Sends the results of controllers. */
    private readonly sender: ResponseSender,
    options: FastifyHttpOptions<Server>,
  ) {
    // There is no middleware, and the listener parses uploads itself.
    super({ ...options, skipMiddie: true, multipart: false });
  }

  /** Sends the result of a controller. No middleware passes a response of Node here. */
  override reply(response: FastifyReply, body: unknown, status?: number): FastifyReply {
    if (status !== undefined) response.status(status);
    return this.sender.send(response, body) ? response : super.reply(response, body);
  }

  override registerParserMiddleware(): void {
    // The listener has its own body parsers.
  }

  override setErrorHandler(): ReturnType<FastifyAdapter['setErrorHandler']> {
    return this.instance;
  }

  override setNotFoundHandler(): ReturnType<FastifyAdapter['setNotFoundHandler']> {
    return this.instance;
  }
}
