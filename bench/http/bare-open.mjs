// The stricter yardstick of the http bench: one route of NestJS on Fastify with a guard that admits every caller. Its
// response equals that of the service at `/`.
import 'reflect-metadata';
import { Controller, Get, Header, Module } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { startPage } from '../../dist/portal/start-page.js';

const PAGE = startPage({ kind: 'stranger', contextPath: '' });

class StartController {
  show() {
    return PAGE;
  }
}
const show = Object.getOwnPropertyDescriptor(StartController.prototype, 'show');
Get()(StartController.prototype, 'show', show);
Header('content-type', 'text/html; charset=utf-8')(StartController.prototype, 'show', show);
Controller()(StartController);

class Guard {
  canActivate() {
    return true;
  }
}

class YardstickModule {}
Module({ controllers: [StartController], providers: [{ provide: APP_GUARD, useClass: Guard }] })(YardstickModule);

const app = await NestFactory.create(YardstickModule, new FastifyAdapter(), { logger: false });
await app.listen(0, '127.0.0.1');
process.on('SIGTERM', () => process.exit());
console.log(`ready: ${await app.getUrl()}/`);
