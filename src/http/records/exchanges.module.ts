import { type DynamicModule, Global, Module } from '@nestjs/common';
import { HttpExchanges } from './http-exchanges.js';

/** Offers the last requests and their answers. */
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
