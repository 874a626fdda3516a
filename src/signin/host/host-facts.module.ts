import { Global, Module } from '@nestjs/common';
import { SpareWorkers } from '../../identity/account/password/password-hasher.js';
import { ServiceWords } from '../../identity/account/password/strength/password-strength.js';
import { BrandingProperties } from '../../platform/branding/branding.properties.js';
import { ThreadsProperties } from '../../platform/http/admission/embedded.properties.js';
import { Configuration } from '../../config/configuration.js';
import {
  browserUrl,
  PublicUrlProperties,
  ServerProperties,
  serviceUrl,
  ServletProperties,
  SslProperties,
} from '../../platform/http/server.properties.js';
import { BrowserAddress } from '../../identity/second-factor/passkey/passkey-site.js';
import { Issuer } from '../../identity/token/signed-token.js';

/**
 * Tells `token`, `account` and `second-factor` what they need of the configuration of the HTTP host, so that none depends on
 * HTTP: the URL of the service as the issuer, the workers kept for password hashes, and the address of passkeys, and the words that an attacker tries at this service.
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
    {
      provide: ServiceWords,
      inject: [Issuer, BrandingProperties],
      useFactory: ({ url }: Issuer, { name }: BrandingProperties) =>
        // Without a listener, the service has no host.
        new ServiceWords([name, ...(URL.canParse(url) ? [new URL(url).hostname] : [])]),
    },
    {
      provide: BrowserAddress,
      inject: [Configuration],
      useFactory: (configuration: Configuration) =>
        new BrowserAddress(urlOf(configuration), () => openPort(configuration)),
    },
  ],
  exports: [Issuer, SpareWorkers, ServiceWords, BrowserAddress],
})
export class HostFactsModule {}

function urlOf(configuration: Configuration): string | undefined {
  return browserUrl(
    configuration.get(PublicUrlProperties),
    configuration.get(ServerProperties),
    configuration.get(SslProperties),
  );
}

function openPort({ environment }: Configuration): string | undefined {
  const filled = environment.fill('${local.server.port}');
  return filled.kind === 'filled' ? filled.text : undefined;
}
