import type { IncomingHttpHeaders } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** The part of a request that guards and services read; the request of Fastify has more. */
export interface HttpRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** `http` or `https`. */
  readonly protocol: string;
  /** Value of the `Host` header. */
  readonly host: string;
  readonly ip: string;
  /** The peer of the connection: a proxy, or the client. */
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** Parameter: the query as it was sent, without its question mark; empty if there is none. Signatures cover these octets. */
export const RawQuery = createParamDecorator((_data: unknown, context: ExecutionContext): string => {
  const { originalUrl } = context.switchToHttp().getRequest<FastifyRequest>();
  const at = originalUrl.indexOf('?');
  return at < 0 ? '' : originalUrl.slice(at + 1);
});
