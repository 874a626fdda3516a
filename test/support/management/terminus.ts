import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Terminus } from '../../../src/management/health/terminus.service.js';

@Module({ providers: [Terminus] })
class TerminusTestModule {}

const context = await NestFactory.createApplicationContext(TerminusTestModule, { logger: false });

/** The services of `TerminusModule` as the service loads them. */
export const terminus = context.get(Terminus);
