import { Controller, Get, Header, Param, Req } from '@nestjs/common';
import { string } from 'valibot';
import { Public } from '../../../kernel/principal/access.decorator.js';
import type { HttpRequest } from '../../../platform/web/http-request.js';
import { ApiTag, Operation, ResponseSchema } from '../../../platform/web/route.decorator.js';
import { Idps } from '../idp/idps.service.js';
import { SHOW_METADATA } from '../saml.openapi.js';
import { validationRules } from '../login/response/saml-messages.js';
import { ServiceProviders } from './service-providers.service.js';
import { serviceProviderMetadata } from './sp-metadata.js';

/** The metadata of this service for identity providers, which may cache it (http-api section 8). */
@Public()
@ApiTag('Staff login')
@Controller('saml')
export class SpMetadataController {
  constructor(
    private readonly idps: Idps,
    private readonly sps: ServiceProviders,
  ) {}

  @Get(':idp/metadata')
  @Header('content-type', 'application/samlmetadata+xml')
  @Header('cache-control', 'public, max-age=300')
  @Operation(SHOW_METADATA)
  @ResponseSchema(string())
  show(@Param('idp') name: string, @Req() request: HttpRequest): string {
    const idp = this.idps.named(name);
    return serviceProviderMetadata(this.sps.of(idp, request), validationRules(idp.properties).nameIdFormat);
  }
}
