type Headers = Readonly<Record<string, string>>;

/** Of every answer, so that no cache gives that of one site to another. */
const FOR_OTHERS: Headers = { vary: 'Origin' };

const FOR_ALLOWED: Headers = {
  ...FOR_OTHERS,
  'access-control-allow-credentials': 'true',
  'access-control-expose-headers': 'x-request-id, api-version, retry-after, www-authenticate',
};

/** What a script may send, told to the browser that asks first; it need not ask again for so many seconds. */
export const PREFLIGHT: Headers = {
  'access-control-allow-methods': 'GET, HEAD, POST, PATCH, DELETE',
  'access-control-allow-headers': 'authorization, content-type, x-request-id',
  'access-control-max-age': '600',
};

/**
 * Lets scripts of exactly these origins call with cookies and read every answer (http-api section 9; Fetch standard,
 * "CORS protocol"). Nothing is said to others.
 */
export class Cors {
  private readonly allowed: ReadonlyMap<string | undefined, Headers>;

  constructor(origins: readonly string[]) {
    this.allowed = new Map(
      origins.map((origin) => [origin, { 'access-control-allow-origin': origin, ...FOR_ALLOWED }] as const),
    );
  }

  /** Of an answer to a request with that `Origin`. */
  headersFor(origin: string | undefined): Headers {
    return this.allowed.get(origin) ?? FOR_OTHERS;
  }
}

/** The `Origin` in bytes that are no request, such as a head that is too large; none where there are two. */
export function originIn(bytes: unknown): string | undefined {
  if (!Buffer.isBuffer(bytes)) return undefined;
  const [found, ...others] = bytes.toString('latin1').matchAll(/^origin:[ \t]*(\S+)[ \t]*\r?$/gim);
  return others.length === 0 ? found?.[1] : undefined;
}
