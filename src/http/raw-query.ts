import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** Parameter: the query as it was sent, without its question mark, for signatures over these octets; empty where there is none. */
export const RawQuery = createParamDecorator((_data: unknown, context: ExecutionContext): string => {
  const { originalUrl } = context.switchToHttp().getRequest<FastifyRequest>();
  const at = originalUrl.indexOf('?');
  return at < 0 ? '' : originalUrl.slice(at + 1);
});
