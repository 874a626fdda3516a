import { Module } from '@nestjs/common';
import { AccountModule } from '../account/account.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { Clock } from '../clock/clock.js';
import { Configuration } from '../config/configuration.js';
import { EventsModule } from '../events/events.module.js';
import { HealthModule } from '../health/health.module.js';
import { Meters } from '../metrics/meters.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { SslBundles } from '../tls/ssl-bundles.service.js';
import { TokenModule } from '../token/token.module.js';
import { IdpLogouts } from './idp-logouts.service.js';
import { IdpMetadata } from './idp-metadata.service.js';
import { IdpMetadataStore } from './idp-metadata.store.js';
import { IdpMeters } from './idp-meters.js';
import { IdpSessionStore } from './idp-session.store.js';
import { IdpSessions } from './idp-sessions.service.js';
import { Idps } from './idps.service.js';
import { LogoutMessages } from './logout-messages.service.js';
import { MetadataRefresh } from './metadata-refresh.task.js';
import { MetadataRequestsModule } from './metadata-requests.module.js';
import { MetadataRequestWatch } from './metadata-requests.task.js';
import { SamlIndicator } from './saml.indicator.js';
import { OwnLogouts } from './own-logouts.service.js';
import { SamlController } from './saml.controller.js';
import { SamlLogoutController } from './saml-logout.controller.js';
import { SamlLogins } from './saml-logins.service.js';
import { SamlMeters } from './saml-meters.js';
import { SamlProperties } from './saml.properties.js';
import { SamlRefusals } from './saml-refusals.service.js';
import { SamlRequestStore } from './saml-request.store.js';
import { SamlRequests } from './saml-requests.service.js';
import { SamlResponses } from './saml-responses.service.js';
import { ServiceProviders } from './service-providers.service.js';
import { SpMetadataController } from './sp-metadata.controller.js';
import { StaffLogins } from './staff-logins.service.js';
import { UnknownKeys } from './unknown-keys.service.js';
import { UsedAssertionStore } from './used-assertion.store.js';
import { UsedAssertions } from './used-assertions.service.js';

/** Sign-in of staff through identity providers. */
@Module({
  imports: [HealthModule, TasksModule, EventsModule, AccountModule, TokenModule, AuthModule, MetadataRequestsModule],
  controllers: [SamlController, SamlLogoutController, SpMetadataController],
  providers: [
    ...[Idps, IdpMetadataStore, IdpMetadata, MetadataRefresh, SamlIndicator],
    ...[MetadataRequestWatch, UnknownKeys],
    { provide: IdpMeters, inject: [Meters, Clock, Idps], useFactory: idpMeters },
    ...[SamlRequestStore, UsedAssertionStore, IdpSessionStore],
    ...[
      SamlRequests,
      UsedAssertions,
      IdpSessions,
      SamlResponses,
      SamlRefusals,
      ServiceProviders,
      StaffLogins,
      SamlLogins,
    ],
    ...[LogoutMessages, IdpLogouts, OwnLogouts],
    {
      provide: SslBundles,
      inject: [Configuration, Clock],
      useFactory: (configuration: Configuration, clock: Clock) => new SslBundles(configuration, clock),
    },
    {
      provide: SamlMeters,
      inject: [Meters, SamlProperties],
      useFactory: (meters: Meters, { idp }: SamlProperties) => new SamlMeters(meters, [...idp.keys()]),
    },
  ],
  exports: [Idps, OwnLogouts],
})
export class SamlModule {}

function idpMeters(meters: Meters, clock: Clock, idps: Idps): IdpMeters {
  const made = new IdpMeters(meters, clock);
  for (const { known, properties } of idps.entries) {
    if (properties.metadata !== undefined) made.watchAge(known);
    made.watchCertificates(known);
  }
  return made;
}
