import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { HostOptions } from '../../../src/platform/http/host-options.js';
import { Listener } from '../../../src/platform/http/listener.js';
import { WebModule } from '../../../src/platform/web/web.module.js';
import { AnswersController } from './answers.controller.js';
import { BrokenController } from './broken.controller.js';
import { PAGES } from '../pages/views.js';
import { CollectedLog } from '../programs/collected-log.js';
import { EchoController } from './echo.controller.js';
import { HeldController } from './held.controller.js';
import { StreamedController } from './streamed.controller.js';

@Module({
  imports: [WebModule],
  controllers: [AnswersController, BrokenController, EchoController, HeldController, StreamedController],
})
class EchoModule {}

export interface EchoService {
  readonly url: string;
  readonly port: number;
  readonly log: CollectedLog;
  readonly listener: Listener;
  stop(): Promise<void>;
}

/** Starts the HTTP layer of the service with routes that return what it parsed. */
export async function startEchoService(options: HostOptions = {}): Promise<EchoService> {
  const log = new CollectedLog();
  const listener = new Listener({ loggers: log.loggers, pages: PAGES, ...options });
  listener.routes.add('GET', '/plain', () => ({ status: 200, body: { status: 'UP' } }));
  listener.routes.add('GET', '/managed', () => ({ status: 200, body: { at: new Date(0), none: null, name: '한' } }));
  const app = await NestFactory.create(EchoModule, listener.adapter, { logger: false, abortOnError: false });
  await app.init();
  const port = await listener.open({ port: 0, address: '127.0.0.1', key: '', addressKey: '' });
  return {
    url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}${options.contextPath ?? ''}`,
    port,
    log,
    listener,
    stop: () => app.close(),
  };
}
