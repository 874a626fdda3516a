import * as v from 'valibot';
import { listOf } from '../../web/schema.js';

/** RFC 7517 section 5: public keys with the members of their kind. */
export const jwksResponse = v.object({
  keys: listOf(
    v.objectWithRest({ kty: v.string(), kid: v.string(), alg: v.string(), use: v.literal('sig') }, v.string()),
  ),
});

const url = v.pipe(v.string(), v.url());

/** What RFC 8414 calls authorization server metadata, as far as this service is one. */
export const metadataResponse = v.object({
  issuer: url,
  jwks_uri: url,
  introspection_endpoint: url,
  introspection_endpoint_auth_methods_supported: listOf(v.string()),
  response_types_supported: listOf(v.string()),
  grant_types_supported: listOf(v.string()),
  acr_values_supported: v.pipe(listOf(v.string()), v.description('RFC 9470 section 7.')),
});
