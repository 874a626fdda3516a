import type { ErrorCode } from '../../../kernel/errors/error-code.js';
import type { RequiredAmr } from '../../../kernel/principal/amr.js';
import type { Api, RouteRequirements, RouteAccess } from '../../../platform/web/openapi/api.js';
import { LOGIN_API, RESOURCE_API } from '../../../kernel/principal/audience.js';
import { REFRESH_TOKEN, SESSION, TRUSTED_DEVICE } from '../cookies.js';
import { SAFE } from '../guards/cross-site.js';

/** Security schemes of the description: the credentials of callers. */
export const SCHEMES = {
  accessToken: 'accessToken',
  session: 'session',
  mfaToken: 'mfaToken',
  refreshToken: 'refreshToken',
  trustedDevice: 'trustedDevice',
  client: 'client',
} as const;

/** The interface as a whole (http-api.md), for its description. */
export const API: Api = {
  title: 'Login service',
  description:
    'Login in two steps: the password, then a passkey, a one-time code of an authenticator app or a backup code. ' +
    'Applications get an access token and a refresh cookie (`POST /login`), the web portal a session cookie (`POST /session`). Staff ' +
    'sign in through their identity provider (`GET /saml/{idp}/login`) and get both cookies.\n\n' +
    '`Authorization` takes precedence over cookies on routes that need a sign-in; an invalid one is rejected whatever the ' +
    'cookies are. State-changing requests authenticated by a cookie must come from the same origin; an allowed origin may use cookies to sign in ' +
    'and out, to refresh tokens, and for `GET /me` and `GET /session` only: `CROSS_SITE`.\n\n' +
    'Routes may have limits of requests per address, login id or session: `RATE_LIMITED`. Their responses have ' +
    '`RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers): a quota `q` in a window of `w` seconds, ' +
    'of which `r` are left, and `t` seconds until more are.',
  securitySchemes: {
    [SCHEMES.accessToken]: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT (RFC 9068)',
      description:
        'The `access_token` of a full login: `Authorization: Bearer`. Accounts, second factors, administration and management ' +
        `demand a token for the audience \`${LOGIN_API}\`, which \`resource=${LOGIN_API}\` requests with the login or a refresh; ` +
        `\`GET /me/settlement\` and \`POST /logout\` also take one for \`${RESOURCE_API}\`. No token of an application is accepted here.`,
    },
    [SCHEMES.session]: {
      type: 'apiKey',
      in: 'cookie',
      name: SESSION,
      description: `The cookie \`${SESSION}\` of the web portal and of staff; \`__Host-${SESSION}\` over https.`,
    },
    [SCHEMES.mfaToken]: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: 'The `mfa_token` of a login before its second step: `Authorization: Bearer`.',
    },
    [SCHEMES.refreshToken]: {
      type: 'apiKey',
      in: 'cookie',
      name: REFRESH_TOKEN,
      description: `The cookie \`${REFRESH_TOKEN}\`, which browsers send only to \`/token/**\`.`,
    },
    [SCHEMES.trustedDevice]: {
      type: 'apiKey',
      in: 'cookie',
      name: TRUSTED_DEVICE,
      description: `The cookie \`${TRUSTED_DEVICE}\` of a browser that skips the second factor, if policy allows it.`,
    },
    [SCHEMES.client]: {
      type: 'http',
      scheme: 'basic',
      description: 'Id and secret of a registered client (`app.security.clients`).',
    },
  },
  requirements: requirementsOf,
};

/** The credentials that the guards of this folder accept, and the codes of their rejections. */
function requirementsOf({
  method,
  isSecondFactor,
  isPublic,
  alsoHalfAuthenticated,
  authorities,
  amr,
}: RouteAccess): RouteRequirements {
  const crossSite: readonly ErrorCode[] = SAFE.has(method) ? [] : ['CROSS_SITE'];
  // A limit can be configured for every group of routes.
  const ofAll: readonly ErrorCode[] = ['RATE_LIMITED', ...crossSite];
  if (isPublic) return { security: [], errors: ofAll, notes: [] };
  return {
    security: [SCHEMES.accessToken, SCHEMES.session, ...(alsoHalfAuthenticated ? [SCHEMES.mfaToken] : [])],
    errors: [
      'INVALID_TOKEN',
      ...(isSecondFactor ? (['MFA_TOKEN_INVALID'] as const) : []),
      ...(alsoHalfAuthenticated ? [] : (['MFA_REQUIRED'] as const)),
      ...(authorities ? (['ACCESS_DENIED'] as const) : []),
      ...(amr ? (['STEP_UP_REQUIRED'] as const) : []),
      ...ofAll,
    ],
    notes: [
      ...(alsoHalfAuthenticated ? ['Also for half-authenticated callers, by `mfa_token` or session.'] : []),
      ...(authorities ? [`Requires the authority ${authorities.map((name) => `\`${name}\``).join(' or ')}.`] : []),
      ...(amr ? [noteOf(amr)] : []),
    ],
  };
}

function noteOf({ method, maxAge }: RequiredAmr): string {
  const what = method === 'otp' ? '`otp` in `amr`' : 'a second factor in `amr` (`otp`, `hwk` or `swk`)';
  return `Requires ${what}, proven ${maxAge === undefined ? 'in this session' : `at most ${maxAge} seconds ago`}.`;
}
