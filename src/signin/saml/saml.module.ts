import { Module } from '@nestjs/common';
import { AccountModule } from '../../identity/account/account.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { Clock } from '../../kernel/clock/clock.js';
import { Configuration } from '../../config/configuration.js';
import { EventsModule } from '../../identity/events/events.module.js';
import { HealthModule } from '../../observability/health/health.module.js';
import { Meters } from '../../observability/metrics/meters.js';
import { OutboundModule } from '../../platform/outbound/outbound.module.js';
import { TasksModule } from '../../platform/tasks/tasks.module.js';
import { SslBundles } from '../../platform/tls/ssl-bundles.service.js';
import { SessionModule } from '../../identity/session/session.module.js';
import { TokenModule } from '../../identity/token/token.module.js';
import { LogoutReceiver } from './logout/logout-receiver.service.js';
import { IdpMetadata } from './idp/idp-metadata.service.js';
import { IdpMetadataStore } from './idp/idp-metadata.store.js';
import { IdpMeters, SamlMeters } from './saml-meters.js';
import { IdpSessionStore } from './login/idp-session.store.js';
import { Idps } from './idp/idps.service.js';
import { LogoutReturnStore } from './logout/logout-return.store.js';
import { LogoutMessages } from './logout/logout-messages.service.js';
import { MetadataRefresh } from './idp/metadata-refresh.task.js';
import { MetadataRequestsModule } from './idp/metadata-requests.module.js';
import { MetadataRequestWatch } from './idp/metadata-requests.task.js';
import { MfaModule } from '../../identity/second-factor/mfa.module.js';
import { SamlIndicator } from './idp/saml.indicator.js';
import { SpInitiatedLogout } from './logout/sp-initiated-logout.service.js';
import { SamlController } from './login/saml.controller.js';
import { SamlLogoutController } from './logout/saml-logout.controller.js';
import { AcsController } from './login/acs.controller.js';
import { StaffLoginStrategy } from './login/staff-login.strategy.js';
import { AssertionConsumer } from './login/assertion-consumer.service.js';
import { SpInitiatedLogin } from './login/sp-initiated-login.service.js';
import { StaffSessions } from './login/staff-sessions.service.js';
import { SessionTermination } from './logout/session-termination.service.js';
import { LogoutRequests } from './logout/logout-requests.service.js';
import { SamlProperties } from './saml.properties.js';
import { Rejections } from './login/rejections.service.js';
import { AuthnRequestStore } from './login/authn-request.store.js';
import { AuthnRequests } from './login/authn-requests.service.js';
import { SamlResponses } from './login/response/saml-responses.service.js';
import { ServiceProviders } from './sp/service-providers.service.js';
import { SpMetadataController } from './sp/sp-metadata.controller.js';
import { ReturnTargets } from '../../platform/web/return-targets.service.js';
import { MappingWarnings } from './login/mapping-warnings.service.js';
import { StaffLogins } from './login/staff-logins.service.js';
import { KeyRollover } from './idp/key-rollover.service.js';
import { UsedAssertionStore } from './login/used-assertion.store.js';

/** Sign-in of staff through identity providers. */
@Module({
  imports: [
    MfaModule,
    HealthModule,
    OutboundModule,
    TasksModule,
    EventsModule,
    AccountModule,
    SessionModule,
    TokenModule,
    AuthModule,
    MetadataRequestsModule,
  ],
  controllers: [SamlController, AcsController, SamlLogoutController, SpMetadataController],
  providers: [
    ...[Idps, IdpMetadataStore, IdpMetadata, MetadataRefresh, SamlIndicator],
    ...[MetadataRequestWatch, KeyRollover, ReturnTargets],
    { provide: IdpMeters, inject: [Meters, Clock, Idps], useFactory: createIdpMeters },
    ServiceProviders,
    ...[AuthnRequestStore, UsedAssertionStore, AuthnRequests, SpInitiatedLogin],
    ...[SamlResponses, Rejections, AssertionConsumer, StaffLoginStrategy],
    ...[IdpSessionStore, StaffSessions, StaffLogins, MappingWarnings],
    ...[LogoutMessages, SessionTermination, LogoutReceiver, LogoutReturnStore, LogoutRequests, SpInitiatedLogout],
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
  exports: [Idps, ReturnTargets, SpInitiatedLogout],
})
export class SamlModule {}

function createIdpMeters(meters: Meters, clock: Clock, idps: Idps): IdpMeters {
  const idpMeters = new IdpMeters(meters, clock);
  for (const { cache, properties } of idps.entries) {
    if (properties.metadata !== undefined) idpMeters.watchAge(cache);
    idpMeters.watchCertificates(cache);
  }
  return idpMeters;
}
