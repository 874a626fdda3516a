import { Global, Module } from '@nestjs/common';
import { PublicUrlProperties, ServerProperties, serviceUrl, ServletProperties } from '../http/server.properties.js';
import { Issuer } from '../token/issuer.js';

/** Gives the tokens the URL of the service as their issuer, so that `token` itself does not depend on HTTP. */
@Global()
@Module({
  providers: [
    {
      provide: Issuer,
      inject: [PublicUrlProperties, ServerProperties, ServletProperties],
      useFactory: (...properties: Parameters<typeof serviceUrl>) => new Issuer(serviceUrl(...properties)),
    },
  ],
  exports: [Issuer],
})
export class IssuerModule {}
