import { Module } from '@nestjs/common';
import { AccountModule } from '../account/account.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { Offers } from './access/offers.service.js';
import { Callers } from './caller/callers.service.js';
import { Endpoints } from './endpoints.js';
import { HealthEndpoint } from './health/health.endpoint.js';
import { ManagementListener } from './management.listener.js';
import type { Endpoint } from './operation.js';
import { ScheduledTasksEndpoint } from './scheduledtasks/scheduledtasks.endpoint.js';
import { Responder } from './web/responder.service.js';

/** In the order of discovery. */
const ENDPOINTS = [HealthEndpoint, ScheduledTasksEndpoint];

@Module({
  imports: [AccountModule, AuthModule, TasksModule],
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
  ],
  exports: [ManagementListener],
})
export class ManagementModule {}
