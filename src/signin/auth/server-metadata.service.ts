import { Injectable } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { Issuer } from '../../identity/token/signed-token.js';
import { ACR_MFA, ACR_PWD } from '../../kernel/principal/amr.js';
import type { metadataResponse } from './api/responses.schema.js';

export type ServerMetadataDocument = InferOutput<typeof metadataResponse>;

/** Metadata of the authorization server (RFC 8414 section 2). The issuer is also the base of the endpoints. */
@Injectable()
export class ServerMetadata {
  private provided: (() => ServerMetadataDocument) | undefined;

  constructor(private readonly issuer: Issuer) {}

  /** The OpenID provider has further endpoints and grants. Call it in the constructor of a provider. */
  provide(document: () => ServerMetadataDocument): void {
    this.provided = document;
  }

  document(): ServerMetadataDocument {
    return this.provided?.() ?? this.ofVerifiers();
  }

  /** Without a provider, the lists of grants are empty: users log in with `/login`, not by OAuth. */
  private ofVerifiers(): ServerMetadataDocument {
    const issuer = this.issuer.url;
    return {
      issuer,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
      introspection_endpoint: `${issuer}/token/introspect`,
      introspection_endpoint_auth_methods_supported: ['client_secret_basic'],
      response_types_supported: [],
      grant_types_supported: [],
      acr_values_supported: [ACR_PWD, ACR_MFA],
    };
  }
}
