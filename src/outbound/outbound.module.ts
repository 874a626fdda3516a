import { Module } from '@nestjs/common';
import { Configuration } from '../config/configuration.js';
import { OutboundHttp } from './outbound-http.service.js';

/** Calls to other HTTP services. */
@Module({
  providers: [
    {
      provide: OutboundHttp,
      inject: [Configuration],
      useFactory: (configuration: Configuration) => OutboundHttp.of(configuration),
    },
  ],
  exports: [OutboundHttp],
})
export class OutboundModule {}
