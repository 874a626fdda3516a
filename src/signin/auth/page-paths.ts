/** Path of the sign-in page; all paths here are below the context path. */
export const SIGN_IN_PAGE = '/portal/login';
/** Accepts the form of the sign-in page for a passkey alone. */
export const PASSKEY_SIGN_IN_PATH = `${SIGN_IN_PAGE}/passkey`;
/** Accepts the sign-out form of the home page. */
export const SIGN_OUT_PATH = '/portal/logout';
/** Redirects a browser with a full session to the home page; any other browser stays on its page (204). */
export const RESUME_PAGE = '/portal/resume';
/** Pages of the second factor, by what the user does there. */
export const SECOND_FACTOR_PAGES = {
  verify: '/2fa/portal/verify',
  enrol: '/2fa/portal/setup',
  confirm: '/2fa/portal/confirm',
  passkey: '/2fa/portal/passkey',
  codes: '/2fa/portal/codes',
} as const;

/** Well-known address that redirects to the page to change the password. */
export const CHANGE_PASSWORD_PATH = '/.well-known/change-password';

/** Estimates a new password while the user types it. */
export const PASSWORD_STRENGTH_PATH = '/portal/password-strength';

/** Pages of mailed links by the kind of link (`LINK_PAGES`), and the page that requests one. */
export const RECOVERY_PAGES = {
  forgot: '/portal/forgot',
  reset: '/portal/reset',
  invitation: '/portal/invitation',
  unlock: '/portal/unlock',
  'not-me': '/portal/not-me',
  email: '/portal/email',
} as const;

/** Pages of signed-in users. */
export const ACCOUNT_PAGES = {
  security: '/portal/security',
  password: '/portal/security/password',
  email: '/portal/security/email',
  verifyEmail: '/portal/security/verify-email',
  backupCodes: '/portal/security/backup-codes',
  activity: '/portal/security/activity',
  replace: '/portal/security/replace',
  turnOff: '/portal/security/turn-off',
  addApp: '/portal/security/add-app',
  addPasskey: '/portal/security/add-passkey',
  rename: '/portal/security/authenticators/:id/rename',
  remove: '/portal/security/authenticators/:id/remove',
  endSession: '/portal/security/end-session',
  endDevice: '/portal/security/end-device',
  language: '/portal/security/language',
} as const;

/** Pages of administrators and the help desk; `:sub` is the subject of a user. */
export const ADMIN_PAGES = {
  overview: '/portal/admin',
  users: '/portal/admin/users',
  newUser: '/portal/admin/new-user',
  user: '/portal/admin/users/:sub',
  import: '/portal/admin/import',
  events: '/portal/admin/events',
  clients: '/portal/admin/applications',
} as const;

/** The path of the page, or of its form, about one authenticator of the signed-in user. */
export function authenticatorPath(act: 'rename' | 'remove', id: string): string {
  return ACCOUNT_PAGES[act].replace(':id', encodeURIComponent(id));
}

/** The path of a page about a user, or of a form; `part` is what it shows or does. */
export function adminUserPath(subject: string, part = ''): string {
  return ADMIN_PAGES.user.replace(':sub', encodeURIComponent(subject)) + (part === '' ? '' : `/${part}`);
}

/** The only second factor that helps, if others would not. */
export type OnlyFactor = 'otp' | 'passkey';

/**
 * Value of `Location` for a browser that must prove the second factor, or enrol, before it continues to `returnTo`,
 * which `ReturnTargets` has resolved.
 */
export function secondFactorPage(
  contextPath: string,
  next: 'verify' | 'enrol',
  returnTo: string,
  required?: OnlyFactor,
): string {
  const path = withReturnTo(`${contextPath}${SECOND_FACTOR_PAGES[next]}`, returnTo);
  return required === undefined ? path : `${path}&required=${required}`;
}

/** Path of a page that finally redirects to `returnTo`. */
export function withReturnTo(path: string, returnTo: string): string {
  return `${path}?return_to=${encodeURIComponent(returnTo)}`;
}
