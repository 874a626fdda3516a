/** Headers by which a browser tells the origin of a request. */
export interface CrossSiteFacts {
  readonly method: string;
  /** `Sec-Fetch-Site`. */
  readonly fetchSite?: string;
  readonly origin?: string;
  /** True if the route is for scripts of allowed origins, too. */
  readonly isForAllowed?: boolean;
  /** True for a page or its form, which a user may request by hand, for example by sending a form again. */
  readonly isPage?: boolean;
  /** True for a route that another site must not make a browser request, although it changes nothing. */
  readonly isOwnSiteOnly?: boolean;
}

/** Methods that change nothing (RFC 9110 section 9.2.1). */
export const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Origins such as `https://portal.example`: those of the service, and those whose scripts may call it. */
export interface KnownOrigins {
  readonly own: ReadonlySet<string>;
  readonly allowed: ReadonlySet<string>;
}

/**
 * True if the browser reports that another site sends a state-changing request (http-api section 5) or one to a route for our
 * own site only, which a user may also request by hand, or that a script of an allowed origin, which can read the response,
 * sends any request to a route that is not for it.
 */
export function isCrossSite(
  { method, fetchSite, origin, isForAllowed = false, isPage = false, isOwnSiteOnly = false }: CrossSiteFacts,
  known: KnownOrigins,
): boolean {
  // A script of an allowed origin is never same-origin; `Origin` identifies it.
  if (origin !== undefined && known.allowed.has(origin) && !known.own.has(origin)) return !isForAllowed;
  if (SAFE.has(method) && !isOwnSiteOnly) return false;
  if (origin !== undefined && !known.own.has(origin)) return true;
  return fetchSite !== undefined && fetchSite !== 'same-origin' && !((isPage || isOwnSiteOnly) && fetchSite === 'none');
}
