import * as v from 'valibot';
import { listOf } from '../../../platform/web/schema.js';
import { acr, roles } from './responses.schema.js';

/** RFC 7662 section 2.1; unknown members are ignored, as the RFC requires. */
export const introspectionSchema = v.object({
  token: v.string(),
  token_type_hint: v.optional(v.string()),
});

const epochSeconds = v.pipe(v.number(), v.integer(), v.description('Seconds since 1970.'));

/** RFC 7662 section 2.2, with the claims of an access token. */
export const introspectionResponse = v.variant('active', [
  v.object({ active: v.literal(false) }),
  v.object({
    active: v.literal(true),
    token_type: v.literal('Bearer'),
    iss: v.string(),
    sub: v.string(),
    aud: v.string(),
    client_id: v.optional(
      v.pipe(v.string(), v.description('The client that requested the token; an earlier version issued none.')),
    ),
    scope: v.optional(v.pipe(v.string(), v.description('Scopes of a token for an application.'))),
    iat: epochSeconds,
    exp: epochSeconds,
    jti: v.string(),
    sid: v.optional(
      v.pipe(v.string(), v.description('The session that the token belongs to; a token of a client itself has none.')),
    ),
    username: v.optional(v.pipe(v.string(), v.description('The login id.'))),
    roles: v.optional(roles),
    amr: v.optional(
      v.pipe(
        listOf(v.string()),
        v.description(
          'The claim of the token: authentication methods as in other responses, and after them the context class of an ' +
            'identity provider if `app.security.token.authn-context-in-amr` is set.',
        ),
      ),
    ),
    acr: v.optional(acr),
    auth_time: v.optional(epochSeconds),
    mfa_at: v.optional(epochSeconds),
    mfa_method: v.optional(v.string()),
  }),
]);
