import 'reflect-metadata';
import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { AccessTokenGuard } from './access-token.guard.js';
import { AccessTokens } from './access-tokens.js';
import { AccountController } from './account.controller.js';
import { ProofGuard } from './proof.guard.js';

export interface ApiSettings {
  /** `app.security.public-url` of the login service, character by character. */
  readonly issuer: string;
  /** The `audience` of the client whose access tokens are accepted. */
  readonly audience: string;
  /** The origin of the single-page application. */
  readonly origin: string;
}

@Module({})
class ApiModule {
  static of({ issuer, audience }: ApiSettings): DynamicModule {
    return {
      module: ApiModule,
      controllers: [AccountController],
      providers: [
        { provide: AccessTokens, useValue: new AccessTokens(issuer, audience) },
        // For every route, in this order.
        { provide: APP_GUARD, useClass: AccessTokenGuard },
        { provide: APP_GUARD, useClass: ProofGuard },
      ],
    };
  }
}

export async function createApi(settings: ApiSettings): Promise<NestFastifyApplication> {
  const api = await NestFactory.create<NestFastifyApplication>(ApiModule.of(settings), new FastifyAdapter(), {
    logger: ['error', 'warn'],
  });
  // Scripts of another origin see the challenge only if it is exposed to them.
  api.enableCors({ origin: settings.origin, exposedHeaders: ['www-authenticate'] });
  return api;
}
