import type { FastifyAdapter } from '@nestjs/platform-fastify';

/** Seconds for which a browser need not ask again. */
const PREFLIGHT_AGE = 600;

/** Lets scripts of exactly these origins call with cookies and read the answers (http-api section 9). */
export function allowOrigins(adapter: FastifyAdapter, origins: readonly string[]): void {
  const allowed = new Set(origins);
  adapter.enableCors({
    // False, unlike a list, says nothing at all to others.
    origin: (origin, answer) => {
      answer(null, origin !== undefined && allowed.has(origin) ? [origin] : false);
    },
    credentials: true,
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    allowedHeaders: ['authorization', 'content-type', 'x-request-id'],
    exposedHeaders: ['x-request-id', 'api-version', 'retry-after', 'www-authenticate'],
    maxAge: PREFLIGHT_AGE,
    strictPreflight: false,
  });
}
