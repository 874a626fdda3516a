import { Controller, Get, Header } from '@nestjs/common';
import { Public } from '../../principal/access.decorator.js';
import { ACR_MFA, ACR_PWD } from '../../principal/amr.js';
import { ApiTag, Operation, ResponseSchema } from '../../web/route.decorator.js';
import { Issuer } from '../../token/signed-token.js';
import type { PublicJwk } from '../../token/keys/key-material.js';
import { SigningKeys } from '../../token/keys/signing-keys.js';
import { type ServerMetadata, serverMetadata } from './well-known.js';
import { jwksResponse, metadataResponse } from './well-known.schema.js';

/** Lets verifiers find the keys; they may keep the answers, so these two say for how long. */
@Public()
@ApiTag('Keys and metadata', 'For services that verify access tokens.')
@Controller('.well-known')
export class WellKnownController {
  constructor(
    private readonly keys: SigningKeys,
    private readonly issuer: Issuer,
  ) {}

  @Get('jwks.json')
  @Operation({ summary: 'Public keys of access tokens (RFC 7517)' })
  @ResponseSchema(jwksResponse)
  @Header('Cache-Control', 'public, max-age=300')
  jwks(): { readonly keys: readonly PublicJwk[] } {
    return this.keys.jwks();
  }

  @Get('oauth-authorization-server')
  @Operation({ summary: 'Authorization server metadata (RFC 8414)' })
  @ResponseSchema(metadataResponse)
  @Header('Cache-Control', 'public, max-age=300')
  metadata(): ServerMetadata {
    return serverMetadata(this.issuer.url, [ACR_PWD, ACR_MFA]);
  }
}
