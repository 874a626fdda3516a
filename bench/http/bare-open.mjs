// The stricter yardstick of the http bench: one route of NestJS on Fastify with a guard that admits every caller. Its
// response is the file of `--response`, the JWK set of the service.
import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Controller, Get, Header, Module } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';

const { values } = parseArgs({ options: { response: { type: 'string' }, 'server.port': { type: 'string' } } });
const RESPONSE = readFileSync(values.response, 'utf8');

class JwksController {
  show() {
    return RESPONSE;
  }
}
const show = Object.getOwnPropertyDescriptor(JwksController.prototype, 'show');
Get('.well-known/jwks.json')(JwksController.prototype, 'show', show);
Header('content-type', 'application/json; charset=utf-8')(JwksController.prototype, 'show', show);
Controller()(JwksController);

class Guard {
  canActivate() {
    return true;
  }
}

class YardstickModule {}
Module({ controllers: [JwksController], providers: [{ provide: APP_GUARD, useClass: Guard }] })(YardstickModule);

const app = await NestFactory.create(YardstickModule, new FastifyAdapter(), { logger: false, abortOnError: false });
await app.listen(0, '127.0.0.1');
process.on('SIGTERM', () => process.exit());
console.log(`ready: ${await app.getUrl()}/`);
