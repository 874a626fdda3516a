import * as v from 'valibot';
import { REQUESTABLE_ACRS } from '../../../kernel/principal/amr.js';
import { CLAIMS, GRANT_TYPES } from '../../../identity/client/client.js';
import { listOf } from '../../../platform/web/schema.js';

const texts = listOf(v.string());
const seconds = v.pipe(v.number(), v.integer());

/** Response of `GET /admin/clients`. */
export const clientsResponse = v.object({
  items: listOf(
    v.object({
      id: v.string(),
      name: v.string(),
      logo: v.nullable(v.string()),
      kind: v.picklist(['confidential', 'public']),
      authentication: v.pipe(
        listOf(v.picklist(['client_secret', 'private_key_jwt', 'none'])),
        v.description('How the client authenticates, without its secret and keys.'),
      ),
      redirect_uris: texts,
      post_logout_redirect_uris: texts,
      backchannel_logout_uri: v.nullable(v.string()),
      audience: v.pipe(texts, v.description('Audiences of its access tokens; the first one by default.')),
      scopes: texts,
      claims: listOf(v.picklist(CLAIMS)),
      grant_types: listOf(v.picklist(GRANT_TYPES)),
      min_acr: v.nullable(v.picklist(REQUESTABLE_ACRS)),
      max_age: v.pipe(v.nullable(seconds), v.description('Seconds since its user authenticated, at most.')),
      roles: v.pipe(texts, v.description('Users need one of them; none for everyone.')),
      access_lifetime: v.pipe(seconds, v.description('Seconds that its access and ID tokens last.')),
      id_token_algorithm: v.picklist(['RS256', 'ES256']),
      signed_userinfo: v.boolean(),
      sources: v.pipe(texts, v.description('Property sources with keys of the client, as `/actuator/env` names them.')),
      sessions: v.pipe(v.number(), v.integer(), v.description('Number of its signed-in sessions.')),
      last_used: v.pipe(
        v.nullable(v.date()),
        v.description('The last sign-in or refresh among its signed-in sessions; null without one.'),
      ),
    }),
  ),
});
