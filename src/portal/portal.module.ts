import { Module } from '@nestjs/common';
import { StartController } from './start.controller.js';

@Module({ controllers: [StartController] })
export class PortalModule {}
