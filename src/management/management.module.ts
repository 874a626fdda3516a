import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AccountModule } from '../account/account.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { CacheModule } from '../cache/cache.module.js';
import { EventsModule } from '../events/events.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { Offers } from './access/offers.service.js';
import { CachesEndpoint } from './caches/caches.endpoint.js';
import { Callers } from './caller/callers.service.js';
import { ConfigpropsEndpoint } from './configprops/configprops.endpoint.js';
import { Endpoints } from './endpoints.js';
import { EnvEndpoint } from './env/env.endpoint.js';
import { HealthAnswers } from './health/health-answers.service.js';
import { HealthChecks } from './health/health-checks.service.js';
import { HealthGroups } from './health/health-groups.service.js';
import { HealthPaths } from './health/health-paths.listener.js';
import { HealthEndpoint } from './health/health.endpoint.js';
import { PresentComponents } from './health/present-components.service.js';
import { HeapDumpEndpoint } from './heapdump/heapdump.endpoint.js';
import { HttpExchangesEndpoint } from './httpexchanges/httpexchanges.endpoint.js';
import { InfoEndpoint } from './info/info.endpoint.js';
import { LogfileEndpoint } from './logfile/logfile.endpoint.js';
import { LevelEvents } from './loggers/level-events.service.js';
import { LoggersEndpoint } from './loggers/loggers.endpoint.js';
import { ManagementListener } from './management.listener.js';
import { MappingsEndpoint } from './mappings/mappings.endpoint.js';
import { MountedRoutes } from './mappings/mounted-routes.js';
import { MetricsEndpoint } from './metrics/metrics.endpoint.js';
import { PrometheusEndpoint } from './metrics/prometheus.endpoint.js';
import type { Endpoint } from './operation.js';
import { ScheduledTasksEndpoint } from './scheduledtasks/scheduledtasks.endpoint.js';
import { ShutdownEndpoint } from './shutdown/shutdown.endpoint.js';
import { Stopper } from './shutdown/stopper.js';
import { ThreadDumpEndpoint } from './threaddump/threaddump.endpoint.js';
import { Responder } from './web/responder.service.js';

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

const HEALTH = [PresentComponents, HealthChecks, HealthAnswers, HealthGroups, HealthPaths];

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
    Callers,
    Offers,
    Responder,
    ManagementListener,
    Stopper,
    MountedRoutes,
    ...HEALTH,
  ],
  exports: [ManagementListener, Stopper, MountedRoutes, HealthPaths],
})
export class ManagementModule {}
