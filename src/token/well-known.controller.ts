import { Controller, Get, Header } from '@nestjs/common';
import { Public } from '../principal/access.decorator.js';
import { ACR_MFA, ACR_PWD } from '../principal/amr.js';
import { Issuer } from './issuer.service.js';
import type { PublicJwk } from './key-material.js';
import { SigningKeys } from './signing-keys.service.js';
import { type ServerMetadata, serverMetadata } from './well-known.js';

/** Lets verifiers find the keys; they may keep the answers, so these two say for how long. */
@Public()
@Controller('.well-known')
export class WellKnownController {
  constructor(
    private readonly keys: SigningKeys,
    private readonly issuer: Issuer,
  ) {}

  @Get('jwks.json')
  @Header('Cache-Control', 'public, max-age=300')
  jwks(): { readonly keys: readonly PublicJwk[] } {
    return this.keys.jwks();
  }

  @Get('oauth-authorization-server')
  @Header('Cache-Control', 'public, max-age=300')
  metadata(): ServerMetadata {
    return serverMetadata(this.issuer.url, [ACR_PWD, ACR_MFA]);
  }
}
