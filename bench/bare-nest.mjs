// The yardstick of the start bench: NestJS on Fastify with a single route.
import { flushCompileCache } from 'node:module';
import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';

class StartController {
  show() {
    return 'running';
  }
}
Get()(StartController.prototype, 'show', Object.getOwnPropertyDescriptor(StartController.prototype, 'show'));
Controller()(StartController);

class BareModule {}
Module({ controllers: [StartController] })(BareModule);

const app = await NestFactory.create(BareModule, new FastifyAdapter(), { logger: false });
await app.listen(Number(process.argv[2]), '127.0.0.1');
// Has no effect if the cache is disabled.
flushCompileCache();
