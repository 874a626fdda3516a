import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import type { AnswerSender } from './json/answer-sender.js';

/** Nest's adapter without what the listener does itself, for routes of Nest and others alike. */
export class HostAdapter extends FastifyAdapter {
  /** Of what controllers answer. */
  sender: AnswerSender | undefined;

  /** Every answer of a controller; there is no middleware that would hand over a response of Node's. */
  override reply(response: FastifyReply, body: unknown, status?: number): FastifyReply {
    if (status !== undefined) response.status(status);
    return this.sender?.send(response, body) === true ? response : super.reply(response, body);
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
