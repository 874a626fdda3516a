import { Module } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService } from '@nestjs/core';
import { Configuration } from '../config/configuration.js';
import { TasksModule } from '../platform/tasks/tasks.module.js';
import { ManagementAuthenticator } from './access/management-authenticator.service.js';
import { CachesEndpoint } from './caches.endpoint.js';
import { ConfigpropsEndpoint } from './configprops/configprops.endpoint.js';
import { EndpointDispatcher } from './dispatch/endpoint-dispatcher.service.js';
import { EndpointRegistry } from './dispatch/endpoint-registry.service.js';
import { discoverEndpoints } from './dispatch/management-endpoint.decorator.js';
import { ManagementListener } from './dispatch/management.listener.js';
import { MountedRoutes } from './dispatch/mounted-routes.js';
import { EnvEndpoint } from './env.endpoint.js';
import { EnabledComponents } from './health/enabled-components.service.js';
import { HealthChecks } from './health/health-checks.service.js';
import { HealthEvaluator } from './health/health-evaluator.service.js';
import { HealthGroups } from './health/health-groups.service.js';
import { HealthPaths } from './health/health-paths.listener.js';
import { HealthEndpoint } from './health/health.endpoint.js';
import { DiskSpaceIndicator, ProcessIndicators } from './health/process.indicator.js';
import { HeapDumpEndpoint } from './heapdump.endpoint.js';
import { HttpExchangesEndpoint } from './httpexchanges.endpoint.js';
import { InfoEndpoint } from './info/info.endpoint.js';
import { LogfileEndpoint } from './logfile.endpoint.js';
import { LoggersEndpoint } from './loggers/loggers.endpoint.js';
import { MappingsEndpoint } from './mappings.endpoint.js';
import { MetricsEndpoint } from './metrics/metrics.endpoint.js';
import { PrometheusEndpoint } from './metrics/prometheus.endpoint.js';
import { ScheduledTasksEndpoint } from './scheduledtasks.endpoint.js';
import { ShutdownEndpoint, ShutdownTrigger } from './shutdown.endpoint.js';
import { ThreadDumpEndpoint } from './threaddump.endpoint.js';

/** The management endpoints. The importing module must provide `OperatorCredentials` and `LevelAudit`. */
@Module({
  imports: [TasksModule, DiscoveryModule],
  providers: [
    // The discovery page lists the endpoints in this order.
    HealthEndpoint,
    InfoEndpoint,
    EnvEndpoint,
    LoggersEndpoint,
    MetricsEndpoint,
    PrometheusEndpoint,
    ScheduledTasksEndpoint,
    CachesEndpoint,
    ThreadDumpEndpoint,
    HeapDumpEndpoint,
    ShutdownEndpoint,
    MappingsEndpoint,
    ConfigpropsEndpoint,
    HttpExchangesEndpoint,
    LogfileEndpoint,

    {
      provide: EndpointRegistry,
      inject: [DiscoveryService, Configuration],
      useFactory: (discovery: DiscoveryService, configuration: Configuration) =>
        new EndpointRegistry(() => discoverEndpoints(discovery), configuration),
    },
    EndpointDispatcher,
    ManagementAuthenticator,
    ManagementListener,
    MountedRoutes,
    ShutdownTrigger,

    HealthGroups,
    HealthEvaluator,
    HealthChecks,
    HealthPaths,
    EnabledComponents,
    ProcessIndicators,
    DiskSpaceIndicator,
  ],
  exports: [ManagementListener, ShutdownTrigger, MountedRoutes, HealthPaths],
})
export class ManagementModule {}
