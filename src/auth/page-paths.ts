/** Paths of pages, below the context path. */
export const SIGN_IN_PAGE = '/portal/login';
/** Takes the form of the start page that ends the session. */
export const SIGN_OUT_PATH = '/portal/logout';
/** Sends a browser with a full session to the start page, and leaves any other one on the page that it shows (204). */
export const RESUME_PAGE = '/portal/resume';
const SECOND_FACTOR_PAGES = { verify: '/2fa/portal/verify', enrol: '/2fa/portal/setup' } as const;

/**
 * Where a browser proves the second factor, or enrols, before it goes on to `returnTo`, which must be a path of our own
 * (`ownPath`). For `Location`.
 */
export function secondFactorPage(contextPath: string, next: 'verify' | 'enrol', returnTo: string): string {
  return withReturnTo(`${contextPath}${SECOND_FACTOR_PAGES[next]}`, returnTo);
}

/** The path of a page that sends the browser on to `returnTo` in the end. */
export function withReturnTo(path: string, returnTo: string): string {
  return `${path}?return_to=${encodeURIComponent(returnTo)}`;
}
