import { Global, Module } from '@nestjs/common';
import { Availability } from './availability.js';
import { HealthComponents } from './health-components.js';

@Global()
@Module({ providers: [Availability, HealthComponents], exports: [Availability, HealthComponents] })
export class HealthModule {}
