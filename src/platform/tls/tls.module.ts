import { Module } from '@nestjs/common';
import { HealthModule } from '../../observability/health/health.module.js';
import { SslChains } from './ssl-chains.service.js';
import { SslIndicator } from './ssl.indicator.js';
import { SslMeters } from './ssl-meters.service.js';

/** Reports on the certificates of the configured bundles. */
@Module({
  imports: [HealthModule],
  providers: [SslChains, SslIndicator, SslMeters],
  exports: [SslChains],
})
export class TlsModule {}
