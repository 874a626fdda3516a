/** Path of the sign-in page; all paths here are below the context path. */
export const SIGN_IN_PAGE = '/portal/login';
/** Accepts the sign-out form of the start page. */
export const SIGN_OUT_PATH = '/portal/logout';
/** Redirects a browser with a full session to the start page; any other browser stays on its page (204). */
export const RESUME_PAGE = '/portal/resume';
/** Pages of the second factor, by what the user does there. */
export const SECOND_FACTOR_PAGES = {
  verify: '/2fa/portal/verify',
  enrol: '/2fa/portal/setup',
  confirm: '/2fa/portal/confirm',
} as const;

/** Pages of signed-in users. */
export const ACCOUNT_PAGES = {
  security: '/portal/security',
  password: '/portal/security/password',
  backupCodes: '/portal/security/backup-codes',
  sessions: '/portal/security/sessions',
  activity: '/portal/security/activity',
  secondFactor: '/portal/security/second-factor',
  administration: '/portal/admin',
} as const;

/**
 * Value of `Location` for a browser that must prove the second factor, or enrol, before it continues to `returnTo`,
 * which `ReturnTargets` has resolved.
 */
export function secondFactorPage(contextPath: string, next: 'verify' | 'enrol', returnTo: string): string {
  return withReturnTo(`${contextPath}${SECOND_FACTOR_PAGES[next]}`, returnTo);
}

/** Path of a page that finally redirects to `returnTo`. */
export function withReturnTo(path: string, returnTo: string): string {
  return `${path}?return_to=${encodeURIComponent(returnTo)}`;
}
