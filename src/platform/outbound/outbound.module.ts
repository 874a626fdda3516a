import { Module } from '@nestjs/common';
import { Configuration } from '../../config/configuration.js';
import { Loggers } from '../../observability/logging/loggers.js';
import { Meters } from '../../observability/metrics/meters.js';
import { OutboundHttp } from './outbound-http.service.js';

/** Calls to other HTTP services. */
@Module({
  providers: [
    {
      provide: OutboundHttp,
      inject: [Configuration, Meters, Loggers],
      useFactory: (configuration: Configuration, meters: Meters, loggers: Loggers) =>
        OutboundHttp.of(configuration, meters, loggers),
    },
  ],
  exports: [OutboundHttp],
})
export class OutboundModule {}
