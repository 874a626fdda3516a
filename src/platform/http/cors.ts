import type { FastifyInstance, FastifyRequest } from 'fastify';
import { optionsOfRoute, type RouteOptions } from './route-options.decorator.js';

type Headers = Readonly<Record<string, string>>;

/** Every response varies by origin, so that a cache does not mix the responses for two sites. */
const FOR_OTHERS: Headers = { vary: 'Origin' };

const FOR_ALLOWED: Headers = {
  ...FOR_OTHERS,
  'access-control-allow-credentials': 'true',
  'access-control-expose-headers':
    'x-request-id, api-version, retry-after, www-authenticate, ratelimit, ratelimit-policy',
};

/** Response to a preflight: what a script may send; the browser caches it for `max-age` seconds. */
export const PREFLIGHT: Headers = {
  'access-control-allow-methods': 'GET, HEAD, POST, PATCH, DELETE',
  'access-control-allow-headers': 'authorization, content-type, x-request-id',
  'access-control-max-age': '600',
};

/**
 * Lets scripts of exactly these origins send requests with cookies and read the responses (http-api section 9; Fetch
 * standard, "CORS protocol"). Other origins get no permission.
 */
export class Cors {
  private readonly allowed: ReadonlyMap<string | undefined, Headers>;
  private readonly applications: ReadonlyMap<string | undefined, Headers>;
  /** Method and path of the routes for applications, none of which has a parameter. */
  private readonly forApplications = new Set<string>();

  /** `applications` are origins whose scripts may use the routes for applications, without cookies. */
  constructor(origins: readonly string[], applications: readonly string[] = []) {
    this.allowed = headersOf(origins, FOR_ALLOWED);
    this.applications = headersOf(applications, FOR_OTHERS);
  }

  /** Must run before the routes are added. */
  learnRoutes(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', ({ method, url, config }) => {
      if (!(config as RouteOptions | undefined)?.isForApplications) return;
      for (const each of [method].flat()) this.forApplications.add(`${each} ${url}`);
    });
  }

  /** CORS headers for the request; a preflight has those of the route that it asks for. */
  headersOf(request: FastifyRequest): Headers {
    const { method, headers, url } = request;
    const asked = `${headers['access-control-request-method'] ?? ''} ${url.replace(/\?.*$/s, '')}`;
    const isForApplications =
      method === 'OPTIONS' ? this.forApplications.has(asked) : optionsOfRoute(request).isForApplications;
    return (
      this.allowed.get(headers.origin) ??
      (isForApplications ? this.applications.get(headers.origin) : undefined) ??
      FOR_OTHERS
    );
  }

  /** CORS headers for a request of which only the `Origin` is known. */
  headersFor(origin: string | undefined): Headers {
    return this.allowed.get(origin) ?? FOR_OTHERS;
  }
}

function headersOf(origins: readonly string[], headers: Headers): ReadonlyMap<string, Headers> {
  return new Map(origins.map((origin) => [origin, { 'access-control-allow-origin': origin, ...headers }] as const));
}

/** Finds `Origin` in bytes that are not a request, such as a head that is too large; undefined if there are two. */
export function originIn(bytes: unknown): string | undefined {
  if (!Buffer.isBuffer(bytes)) return undefined;
  const [found, ...others] = bytes.toString('latin1').matchAll(/^origin:[ \t]*(\S+)[ \t]*\r?$/gim);
  return others.length === 0 ? found?.[1] : undefined;
}
