import { type DynamicModule, Module } from '@nestjs/common';
// All entities and migrations: startup brings the tables up to date, or compares them.
import './apps/schema/backup-tables.js';
import { AdminApiModule } from './apps/admin/api/admin-api.module.js';
import { API } from './signin/auth/api/api.js';
import { AuthModule } from './signin/auth/auth.module.js';
import { CacheModule } from './platform/cache/cache.module.js';
import { ClockModule } from './kernel/clock/clock.module.js';
import { ConfigModule } from './config/config.module.js';
import type { Configuration } from './config/configuration.js';
import { EventsModule } from './identity/events/events.module.js';
import { EventRelayModule } from './identity/events/chain/event-relay.module.js';
import { HealthModule } from './observability/health/health.module.js';
import { KvstoreModule } from './platform/kvstore/kvstore.module.js';
import type { LogFile } from './observability/logging/logging.module.js';
import { LogLevels } from './observability/logging/log-levels.js';
import { Loggers } from './observability/logging/loggers.js';
import { LoggingModule } from './observability/logging/logging.module.js';
import { MailDeliveryModule } from './platform/mail/delivery/mail-delivery.module.js';
import { ManagementModule } from './management/management.module.js';
import { Meters } from './observability/metrics/meters.js';
import { MetricsModule } from './observability/metrics/metrics.module.js';
import { dataFolder } from './platform/persistence/jdbc/jdbc-url.js';
import { DatasourceProperties } from './platform/persistence/datasource.properties.js';
import { PersistenceModule } from './platform/persistence/persistence.module.js';
import type { StartupWait } from './platform/persistence/schema/schema-setup.js';
import { RateLimitModule } from './platform/rate-limit/rate-limit.module.js';
import { PortalModule } from './apps/portal/portal.module.js';
import { RandomModule } from './kernel/random/random.module.js';
import { RecoveryApiModule } from './signin/recovery/api/recovery-api.module.js';
import { SamlModule } from './signin/saml/saml.module.js';
import { ForwardAuthModule } from './signin/forward-auth/forward-auth.module.js';
import { ForwardAuthProperties } from './signin/forward-auth/forward-auth.properties.js';
import { OidcModule } from './signin/oidc/oidc.module.js';
import { ClientsProperties } from './identity/client/client.properties.js';
import { SealingModule } from './platform/sealing/sealing.module.js';
import { ExchangesModule } from './platform/http/records/exchanges.module.js';
import { HttpExchanges } from './platform/http/records/http-exchanges.js';
import { NoticesModule } from './apps/notices/notices.module.js';
import { OpenApiModule } from './platform/web/openapi/openapi.module.js';
import { OpenApiProperties } from './platform/web/openapi/openapi.properties.js';
import { WebhookSenderModule } from './apps/webhook/sender/webhook-sender.module.js';
import { WebhookProperties } from './apps/webhook/webhook.properties.js';
import { WebModule } from './platform/web/web.module.js';
import { PublicUrlProperties, ServletProperties } from './platform/http/server.properties.js';
import { TlsModule } from './platform/tls/tls.module.js';

/** Instruments of the process that outlive the modules: logs, meters and recorded exchanges. */
export interface Instruments {
  readonly loggers?: Loggers;
  readonly levels?: LogLevels;
  readonly meters?: Meters;
  readonly exchanges?: HttpExchanges;
  /** The file of the log, where it has one; absolute. */
  readonly logFile?: LogFile;
  readonly startupWait?: StartupWait;
}

/** True if events are sent to a webhook, or the ends of sessions to applications. */
function hasReceiver(configuration: Configuration): boolean {
  return configuration.get(WebhookProperties).url !== undefined || configuration.get(ClientsProperties).wantLogouts;
}

/** The whole service. */
@Module({
  imports: [
    ClockModule,
    RandomModule,
    HealthModule,
    KvstoreModule,
    CacheModule,
    RateLimitModule,
    WebModule,
    MailDeliveryModule,
    AuthModule,
    SamlModule,
    RecoveryApiModule,
    AdminApiModule,
    // They provide OperatorCredentials and LevelAudit, so that management itself depends on no feature.
    { module: ManagementModule, imports: [AuthModule, EventsModule] },
    PortalModule,
    EventRelayModule,
    NoticesModule,
    TlsModule,
  ],
})
export class AppModule {
  static of(
    configuration: Configuration,
    {
      loggers = new Loggers(),
      levels = new LogLevels(loggers),
      meters = new Meters(),
      exchanges = new HttpExchanges(),
      logFile,
      startupWait,
    }: Instruments = {},
  ): DynamicModule {
    const { url } = configuration.get(DatasourceProperties);
    const { publicUrl } = configuration.get(PublicUrlProperties);
    const serverUrl = publicUrl ?? (configuration.get(ServletProperties).contextPath || '/');
    return {
      module: AppModule,
      imports: [
        ConfigModule.of(configuration),
        LoggingModule.of(loggers, levels, logFile),
        MetricsModule.of(meters),
        ExchangesModule.of(exchanges),
        SealingModule.of(dataFolder(url)),
        PersistenceModule.forService(startupWait),
        // Without a receiver, there is no task and no meter.
        ...(hasReceiver(configuration) ? [WebhookSenderModule] : []),
        // Without an application, nothing of the provider is part of the service.
        ...(configuration.get(ClientsProperties).hasApplications ? [OidcModule] : []),
        // Without a rule, there is no route for proxies.
        ...(configuration.get(ForwardAuthProperties).rules.size > 0 ? [ForwardAuthModule] : []),
        OpenApiModule.of(API, serverUrl, configuration.get(OpenApiProperties)),
      ],
    };
  }
}
