import { Module } from '@nestjs/common';
import { Configuration } from '../config/configuration.js';
import { Meters } from '../metrics/meters.js';
import { OutboundHttp } from './outbound-http.service.js';

/** Calls to other HTTP services. */
@Module({
  providers: [
    {
      provide: OutboundHttp,
      inject: [Configuration, Meters],
      useFactory: (configuration: Configuration, meters: Meters) => OutboundHttp.of(configuration, meters),
    },
  ],
  exports: [OutboundHttp],
})
export class OutboundModule {}
