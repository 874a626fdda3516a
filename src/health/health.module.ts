import { Global, Module } from '@nestjs/common';
import { Availability } from './availability.js';

@Global()
@Module({ providers: [Availability], exports: [Availability] })
export class HealthModule {}
