import { Controller, Get, Header } from '@nestjs/common';
import { Public } from '../../../kernel/principal/access.decorator.js';
import { ApiTag, ForApplications, Operation, ResponseSchema } from '../../../platform/web/route.decorator.js';
import type { PublicJwk } from '../../../identity/token/keys/key-material.js';
import { SigningKeys } from '../../../identity/token/keys/signing-keys.js';
import { ServerMetadata, type ServerMetadataDocument } from '../server-metadata.service.js';
import { jwksResponse, metadataResponse } from './responses.schema.js';

/** Publishes keys and metadata for verifiers; both responses state how long they can be cached. */
@Public()
@ApiTag('Keys and metadata', 'For services that verify access tokens.')
@Controller('.well-known')
export class WellKnownController {
  constructor(
    private readonly keys: SigningKeys,
    private readonly metadata: ServerMetadata,
  ) {}

  @Get('jwks.json')
  @ForApplications()
  @Operation({ summary: 'Public keys of access tokens (RFC 7517)' })
  @ResponseSchema(jwksResponse)
  @Header('Cache-Control', 'public, max-age=300')
  jwks(): { readonly keys: readonly PublicJwk[] } {
    return this.keys.jwks();
  }

  @Get('oauth-authorization-server')
  @ForApplications()
  @Operation({ summary: 'Authorization server metadata (RFC 8414)' })
  @ResponseSchema(metadataResponse)
  @Header('Cache-Control', 'public, max-age=300')
  show(): ServerMetadataDocument {
    return this.metadata.document();
  }
}
