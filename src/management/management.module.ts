import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AccountModule } from '../account/account.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { CacheModule } from '../cache/cache.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { Offers } from './access/offers.service.js';
import { CachesEndpoint } from './caches/caches.endpoint.js';
import { Callers } from './caller/callers.service.js';
import { Endpoints } from './endpoints.js';
import { HealthEndpoint } from './health/health.endpoint.js';
import { HeapDumpEndpoint } from './heapdump/heapdump.endpoint.js';
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
  MetricsEndpoint,
  PrometheusEndpoint,
  ScheduledTasksEndpoint,
  CachesEndpoint,
  ThreadDumpEndpoint,
  HeapDumpEndpoint,
  ShutdownEndpoint,
  MappingsEndpoint,
];

@Module({
  imports: [AccountModule, AuthModule, TasksModule, CacheModule, DiscoveryModule],
  providers: [
    ...ENDPOINTS,
    {
      provide: Endpoints,
      inject: ENDPOINTS,
      useFactory: (...endpoints: readonly Endpoint[]) => new Endpoints(endpoints),
    },
    Callers,
    Offers,
    Responder,
    ManagementListener,
    Stopper,
    MountedRoutes,
  ],
  exports: [ManagementListener, Stopper, MountedRoutes],
})
export class ManagementModule {}
