import { type DynamicModule, Global, Module } from '@nestjs/common';
import { HttpExchanges } from './http-exchanges.js';

/** Provides the recorded exchanges. */
@Global()
@Module({})
export class ExchangesModule {
  static of(exchanges: HttpExchanges): DynamicModule {
    return {
      module: ExchangesModule,
      providers: [{ provide: HttpExchanges, useValue: exchanges }],
      exports: [HttpExchanges],
    };
  }
}
