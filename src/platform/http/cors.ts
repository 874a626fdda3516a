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

  /** `applications` are origins whose scripts may use the routes for applications, without cookies. */
  constructor(origins: readonly string[], applications: readonly string[] = []) {
    this.allowed = headersOf(origins, FOR_ALLOWED);
    this.applications = headersOf(applications, FOR_OTHERS);
  }

  /** CORS headers for a request with this `Origin`. */
  headersFor(origin: string | undefined, isForApplications = false): Headers {
    return this.allowed.get(origin) ?? (isForApplications ? this.applications.get(origin) : undefined) ?? FOR_OTHERS;
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
