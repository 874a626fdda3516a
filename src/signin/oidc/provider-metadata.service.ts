import { Injectable } from '@nestjs/common';
import { CLAIMS, GRANT_TYPES, SCOPES } from '../../identity/client/client.js';
import { Clients } from '../../identity/client/clients.service.js';
import { Issuer } from '../../identity/token/signed-token.js';
import { REQUESTABLE_ACRS } from '../../kernel/principal/amr.js';
import { ServerMetadata, type ServerMetadataDocument } from '../auth/server-metadata.service.js';

const AUTHENTICATION_METHODS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'];
const AUTHENTICATION_ALGORITHMS = ['ES256', 'EdDSA', 'RS256'];
const OF_EVERY_ID_TOKEN = ['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'acr', 'amr', 'sid', 'at_hash'];

/** What the provider can do (OpenID Connect Discovery section 3, RFC 8414, RFC 9207). */
@Injectable()
export class ProviderMetadata {
  constructor(
    private readonly issuer: Issuer,
    private readonly clients: Clients,
    server: ServerMetadata,
  ) {
    server.provide(() => this.document());
  }

  document(): ServerMetadataDocument {
    const { url: issuer } = this.issuer;
    const scopes = new Set([...SCOPES, ...this.clients.all.flatMap(({ scopes: ofClient }) => [...ofClient])]);
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
      pushed_authorization_request_endpoint: `${issuer}/par`,
      end_session_endpoint: `${issuer}/end-session`,
      revocation_endpoint: `${issuer}/revoke`,
      introspection_endpoint: `${issuer}/token/introspect`,
      scopes_supported: [...scopes],
      response_types_supported: ['code'],
      response_modes_supported: ['query', 'form_post'],
      grant_types_supported: [...GRANT_TYPES],
      acr_values_supported: [...REQUESTABLE_ACRS],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'ES256'],
      userinfo_signing_alg_values_supported: ['RS256', 'ES256'],
      token_endpoint_auth_methods_supported: AUTHENTICATION_METHODS,
      token_endpoint_auth_signing_alg_values_supported: AUTHENTICATION_ALGORITHMS,
      revocation_endpoint_auth_methods_supported: AUTHENTICATION_METHODS,
      revocation_endpoint_auth_signing_alg_values_supported: AUTHENTICATION_ALGORITHMS,
      introspection_endpoint_auth_methods_supported: ['client_secret_basic'],
      code_challenge_methods_supported: ['S256'],
      claims_supported: [...OF_EVERY_ID_TOKEN, ...CLAIMS],
      claims_parameter_supported: true,
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
      prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
      authorization_response_iss_parameter_supported: true,
    };
  }
}
