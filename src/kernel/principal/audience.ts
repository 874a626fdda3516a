/** The audience of resource servers (specification, "Access token"). */
export const RESOURCE_API = 'resource-api';
/** The audience that the endpoints of this service demand. */
export const LOGIN_API = 'login-api';
/** The audience of an `mfa_token` (specification, "mfa_token"), which no access token has. */
export const MFA_AUDIENCE = 'mfa';
/** The audiences that a user can request of this service (RFC 8707). */
export const AUDIENCES = [RESOURCE_API, LOGIN_API] as const;
