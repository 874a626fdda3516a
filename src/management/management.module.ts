import { Module } from '@nestjs/common';
import { Endpoints } from './endpoints.js';
import { HealthEndpoint } from './health/health.endpoint.js';
import { ManagementListener } from './management.listener.js';
import type { Endpoint } from './operation.js';

/** In the order of discovery. */
const ENDPOINTS = [HealthEndpoint];

@Module({
  providers: [
    ...ENDPOINTS,
    {
      provide: Endpoints,
      inject: ENDPOINTS,
      useFactory: (...endpoints: readonly Endpoint[]) => new Endpoints(endpoints),
    },
    ManagementListener,
  ],
  exports: [ManagementListener],
})
export class ManagementModule {}
