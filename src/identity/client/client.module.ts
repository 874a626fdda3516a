import { Module } from '@nestjs/common';
import { Clients } from './clients.service.js';

/** The applications and resource servers that are registered by configuration. */
@Module({ providers: [Clients], exports: [Clients] })
export class ClientModule {}
