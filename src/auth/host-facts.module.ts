import { Global, Module } from '@nestjs/common';
import { SpareWorkers } from '../account/password/password-hasher.js';
import { ThreadsProperties } from '../http/admission/embedded.properties.js';
import { PublicUrlProperties, ServerProperties, serviceUrl, ServletProperties } from '../http/server.properties.js';
import { Issuer } from '../token/signed-token.js';

/**
 * Tells `token` and `account` what they need of the configuration of the HTTP host, so that neither depends on HTTP: the
 * URL of the service as the issuer, and the workers kept for password hashes.
 */
@Global()
@Module({
  providers: [
    {
      provide: Issuer,
      inject: [PublicUrlProperties, ServerProperties, ServletProperties],
      useFactory: (...properties: Parameters<typeof serviceUrl>) => new Issuer(serviceUrl(...properties)),
    },
    {
      provide: SpareWorkers,
      inject: [ThreadsProperties],
      useFactory: ({ minSpare }: ThreadsProperties) => new SpareWorkers(minSpare),
    },
  ],
  exports: [Issuer, SpareWorkers],
})
export class HostFactsModule {}
