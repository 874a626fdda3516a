import { Controller, Get, Header } from '@nestjs/common';
import { Public } from '../../kernel/principal/access.decorator.js';
import { ApiTag, ForApplications, Operation } from '../../platform/web/route.decorator.js';
import { DISCOVERY } from './oidc.openapi.js';
import { ProviderMetadata } from './provider-metadata.service.js';

/** The metadata of the OpenID provider (OpenID Connect Discovery section 4). */
@Public()
@ApiTag('OpenID Connect')
@Controller('.well-known/openid-configuration')
export class DiscoveryController {
  constructor(private readonly metadata: ProviderMetadata) {}

  @Get()
  @ForApplications()
  @Header('Cache-Control', 'public, max-age=300')
  @Operation(DISCOVERY)
  show(): object {
    return this.metadata.document();
  }
}
