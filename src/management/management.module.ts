import { Module } from '@nestjs/common';
import { ManagementListener } from './management.listener.js';

@Module({ providers: [ManagementListener], exports: [ManagementListener] })
export class ManagementModule {}
