import type { InferOutput } from 'valibot';
import type { metadataResponse } from './well-known.schema.js';

export type ServerMetadata = InferOutput<typeof metadataResponse>;

/** `issuer` is also the base of the endpoints. There are no grants: people log in with `/login`, not by OAuth. */
export function serverMetadata(issuer: string, acrValues: readonly string[]): ServerMetadata {
  return {
    issuer,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    introspection_endpoint: `${issuer}/token/introspect`,
    introspection_endpoint_auth_methods_supported: ['client_secret_basic'],
    response_types_supported: [],
    grant_types_supported: [],
    acr_values_supported: acrValues,
  };
}
