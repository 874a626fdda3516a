// The yardstick of the http bench: the routes, guards and services of the service on NestJS's own Fastify adapter, without
// the work of src/platform/http for every request: request ids, headers, admission, strict bodies, problem bodies.
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { AuthModule } from '../../dist/signin/auth/auth.module.js';
import { ClockModule } from '../../dist/kernel/clock/clock.module.js';
import { ConfigModule } from '../../dist/config/config.module.js';
import { loadServiceConfiguration } from '../../dist/apps/server/service-configuration.js';
import { processInputs } from '../../dist/config/read/process-inputs.js';
import { HealthModule } from '../../dist/observability/health/health.module.js';
import { Loggers } from '../../dist/observability/logging/loggers.js';
import { LoggingModule } from '../../dist/observability/logging/logging.module.js';
import { Meters } from '../../dist/observability/metrics/meters.js';
import { MetricsModule } from '../../dist/observability/metrics/metrics.module.js';
import { dataFolder } from '../../dist/platform/persistence/jdbc/jdbc-url.js';
import { DatasourceProperties } from '../../dist/platform/persistence/datasource.properties.js';
import { PersistenceModule } from '../../dist/platform/persistence/persistence.module.js';
import { exportsOf } from '../../dist/apps/server/discovery.js';
import { RandomModule } from '../../dist/kernel/random/random.module.js';
import { SealingModule } from '../../dist/platform/sealing/sealing.module.js';

await exportsOf('mapping');
const configuration = loadServiceConfiguration(processInputs());
const folder = dataFolder(configuration.get(DatasourceProperties).url);

class YardstickModule {}
Module({
  imports: [
    ClockModule,
    RandomModule,
    HealthModule,
    LoggingModule.of(new Loggers()),
    MetricsModule.of(new Meters()),
    PersistenceModule,
    AuthModule,
    ConfigModule.of(configuration),
    SealingModule.of(folder),
  ],
})(YardstickModule);

const app = await NestFactory.create(YardstickModule, new FastifyAdapter(), { logger: false, abortOnError: false });
await app.listen(0, '127.0.0.1');
process.on('SIGTERM', () => process.exit());
console.log(`ready: ${await app.getUrl()}/`);
