import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { LazyModuleLoader, NestFactory } from '@nestjs/core';

@Module({})
class EmptyModule {}

const context = await NestFactory.createApplicationContext(EmptyModule, { logger: false });

/** Loads modules as the service does at the first use of them. */
export const moduleLoader = context.get(LazyModuleLoader);
