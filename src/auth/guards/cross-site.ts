/** What a browser says about where a request comes from. */
export interface CrossSiteFacts {
  readonly method: string;
  /** `Sec-Fetch-Site`. */
  readonly fetchSite?: string;
  readonly origin?: string;
  /** A page or a form of one: its user may ask for it by hand, as by sending a form once more. */
  readonly isPage?: boolean;
}

/** Methods that change nothing (RFC 9110 section 9.2.1). */
export const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Origins such as `https://portal.example`: ours, and those whose scripts may call us. */
export interface KnownOrigins {
  readonly own: ReadonlySet<string>;
  readonly allowed: ReadonlySet<string>;
}

/** True where a browser says that another site sends a request that changes state (http-api section 5). */
export function isCrossSite(
  { method, fetchSite, origin, isPage = false }: CrossSiteFacts,
  known: KnownOrigins,
): boolean {
  if (SAFE.has(method)) return false;
  // A script of an allowed origin is never same-origin, and its browser says whose script it is.
  if (origin !== undefined && known.allowed.has(origin)) return false;
  if (origin !== undefined && !known.own.has(origin)) return true;
  return fetchSite !== undefined && fetchSite !== 'same-origin' && !(isPage && fetchSite === 'none');
}
