import { Module } from '@nestjs/common';
import { SslIndicator } from './ssl.indicator.js';

/** What the service says of its certificates; who needs them reads them by the name of their bundle. */
@Module({ providers: [SslIndicator] })
export class TlsModule {}
