/** What RFC 8414 calls authorization server metadata, as far as this service is one. */
export interface ServerMetadata {
  readonly issuer: string;
  readonly jwks_uri: string;
  readonly introspection_endpoint: string;
  readonly introspection_endpoint_auth_methods_supported: readonly string[];
  readonly response_types_supported: readonly string[];
  readonly grant_types_supported: readonly string[];
  /** RFC 9470 section 7. */
  readonly acr_values_supported: readonly string[];
}

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
