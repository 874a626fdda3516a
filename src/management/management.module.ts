import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AccountModule } from '../account/account.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { CacheModule } from '../cache/cache.module.js';
import { EventsModule } from '../events/events.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { EndpointRegistry } from './dispatch/endpoint-registry.service.js';
import { CachesEndpoint } from './caches.endpoint.js';
import { ManagementAuthenticator } from './access/management-authenticator.service.js';
import { ConfigpropsEndpoint } from './configprops/configprops.endpoint.js';
import { Endpoints } from './dispatch/endpoints.js';
import { EnvEndpoint } from './env.endpoint.js';
import { HealthEvaluator } from './health/health-evaluator.service.js';
import { HealthChecks } from './health/health-checks.service.js';
import { HealthGroups } from './health/health-groups.service.js';
import { HealthPaths } from './health/health-paths.listener.js';
import { HealthEndpoint } from './health/health.endpoint.js';
import { EnabledComponents } from './health/enabled-components.service.js';
import { HeapDumpEndpoint } from './heapdump.endpoint.js';
import { HttpExchangesEndpoint } from './httpexchanges.endpoint.js';
import { InfoEndpoint } from './info/info.endpoint.js';
import { LogfileEndpoint } from './logfile.endpoint.js';
import { LevelEvents } from './loggers/level-events.service.js';
import { LoggersEndpoint } from './loggers/loggers.endpoint.js';
import { ManagementListener } from './dispatch/management.listener.js';
import { MappingsEndpoint } from './mappings.endpoint.js';
import { MountedRoutes } from './dispatch/mounted-routes.js';
import { MetricsEndpoint } from './metrics/metrics.endpoint.js';
import { PrometheusEndpoint } from './metrics/prometheus.endpoint.js';
import type { Endpoint } from './dispatch/operation.js';
import { ScheduledTasksEndpoint } from './scheduledtasks.endpoint.js';
import { ShutdownEndpoint } from './shutdown.endpoint.js';
import { ShutdownTrigger } from './shutdown-trigger.js';
import { ThreadDumpEndpoint } from './threaddump.endpoint.js';
import { EndpointDispatcher } from './dispatch/endpoint-dispatcher.service.js';

/** In the order of discovery. */
const ENDPOINTS = [
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
];

const HEALTH = [EnabledComponents, HealthChecks, HealthEvaluator, HealthGroups, HealthPaths];

@Module({
  imports: [AccountModule, AuthModule, EventsModule, TasksModule, CacheModule, DiscoveryModule],
  providers: [
    ...ENDPOINTS,
    {
      provide: Endpoints,
      inject: ENDPOINTS,
      useFactory: (...endpoints: readonly Endpoint[]) => new Endpoints(endpoints),
    },
    LevelEvents,
    ManagementAuthenticator,
    EndpointRegistry,
    EndpointDispatcher,
    ManagementListener,
    ShutdownTrigger,
    MountedRoutes,
    ...HEALTH,
  ],
  exports: [ManagementListener, ShutdownTrigger, MountedRoutes, HealthPaths],
})
export class ManagementModule {}
