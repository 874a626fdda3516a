import { Controller, Get, Header } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import { Public } from '../../../kernel/principal/access.decorator.js';
import { ACR_MFA, ACR_PWD } from '../../../kernel/principal/amr.js';
import { ApiTag, ForApplications, Operation, ResponseSchema } from '../../../platform/web/route.decorator.js';
import { Issuer } from '../../../identity/token/signed-token.js';
import type { PublicJwk } from '../../../identity/token/keys/key-material.js';
import { SigningKeys } from '../../../identity/token/keys/signing-keys.js';
import { jwksResponse, metadataResponse } from './responses.schema.js';

type ServerMetadata = InferOutput<typeof metadataResponse>;

/** Publishes keys and metadata for verifiers; both responses state how long they can be cached. */
@Public()
@ApiTag('Keys and metadata', 'For services that verify access tokens.')
@Controller('.well-known')
export class WellKnownController {
  constructor(
    private readonly keys: SigningKeys,
    private readonly issuer: Issuer,
  ) {}

  @Get('jwks.json')
  @ForApplications()
  @Operation({ summary: 'Public keys of access tokens (RFC 7517)' })
  @ResponseSchema(jwksResponse)
  @Header('Cache-Control', 'public, max-age=300')
  jwks(): { readonly keys: readonly PublicJwk[] } {
    return this.keys.jwks();
  }

  /** The issuer is also the base of the endpoints. The lists of grants are empty: users log in with `/login`, not by OAuth. */
  @Get('oauth-authorization-server')
  @Operation({ summary: 'Authorization server metadata (RFC 8414)' })
  @ResponseSchema(metadataResponse)
  @Header('Cache-Control', 'public, max-age=300')
  metadata(): ServerMetadata {
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
