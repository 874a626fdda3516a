import { FastifyAdapter } from '@nestjs/platform-fastify';

/** Nest's adapter without what the listener does itself, for routes of Nest and others alike. */
export class HostAdapter extends FastifyAdapter {
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
