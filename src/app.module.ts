import { type DynamicModule, Module } from '@nestjs/common';
import { AdminModule } from './admin/admin.module.js';
import { API } from './auth/api/api.js';
import { AuthModule } from './auth/auth.module.js';
import { CacheModule } from './cache/cache.module.js';
import { ClockModule } from './clock/clock.module.js';
import { ConfigModule } from './config/config.module.js';
import type { Configuration } from './config/configuration.js';
import { EventRelayModule } from './events/chain/event-relay.module.js';
import { HealthModule } from './health/health.module.js';
import type { StartupWait } from './health/startup-wait.js';
import { StartupWaitModule } from './health/startup-wait.module.js';
import { KvstoreModule } from './kvstore/kvstore.module.js';
import type { LogFile } from './logging/logging.module.js';
import { LogLevels } from './logging/log-levels.js';
import { Loggers } from './logging/loggers.js';
import { LoggingModule } from './logging/logging.module.js';
import { MailDeliveryModule } from './mail/mail-delivery.module.js';
import { ManagementModule } from './management/management.module.js';
import { Meters } from './metrics/meters.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { dataFolder } from './persistence/jdbc/jdbc-url.js';
import { DatasourceProperties } from './persistence/datasource.properties.js';
import { PersistenceModule } from './persistence/persistence.module.js';
import { ServicePersistenceModule } from './persistence/service-persistence.module.js';
import { RateLimitModule } from './rate-limit/rate-limit.module.js';
import { PortalModule } from './portal/portal.module.js';
import { RandomModule } from './random/random.module.js';
import { RecoveryApiModule } from './recovery/recovery-api.module.js';
import { SamlModule } from './saml/saml.module.js';
import { SealingModule } from './sealing/sealing.module.js';
import { ExchangesModule } from './http/records/exchanges.module.js';
import { HttpExchanges } from './http/records/http-exchanges.js';
import { NoticesModule } from './notices/notices.module.js';
import { OpenApiModule } from './web/openapi/openapi.module.js';
import { OpenApiProperties } from './web/openapi/openapi.properties.js';
import { WebhookSenderModule } from './webhook/webhook.module.js';
import { WebhookProperties } from './webhook/webhook.properties.js';
import { WebModule } from './web/web.module.js';
import { PublicUrlProperties, ServletProperties } from './http/server.properties.js';
import { SslChains } from './tls/ssl-chains.service.js';
import { SslIndicator } from './tls/ssl.indicator.js';
import { SslMeters } from './tls/ssl-meters.service.js';

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

/** The whole service. */
@Module({
  imports: [
    ClockModule,
    RandomModule,
    HealthModule,
    PersistenceModule,
    ServicePersistenceModule,
    KvstoreModule,
    CacheModule,
    RateLimitModule,
    WebModule,
    MailDeliveryModule,
    AuthModule,
    SamlModule,
    RecoveryApiModule,
    AdminModule,
    // AuthModule provides OperatorCredentials, so that management itself depends on no feature.
    { module: ManagementModule, imports: [AuthModule] },
    PortalModule,
    EventRelayModule,
    NoticesModule,
  ],
  providers: [SslChains, SslIndicator, SslMeters],
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
        ...(startupWait ? [StartupWaitModule.of(startupWait)] : []),
        // Without a receiver, there is no task and no meter.
        ...(configuration.get(WebhookProperties).url === undefined ? [] : [WebhookSenderModule]),
        OpenApiModule.of(API, serverUrl, configuration.get(OpenApiProperties)),
      ],
    };
  }
}
