import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Health, HealthComponents, type HealthIndicator } from '../../observability/health/health-components.js';
import { poolOf } from './database.js';
import { DatabaseInstrumentation } from './database-instrumentation.js';
import { type DatabaseProbe, EmbeddedProbe, ServerProbe } from './engines/database-probe.js';
import { DB_COMPONENT, PoolProperties } from './datasource.properties.js';
import { adjustedSettings } from './pool/pool-settings.js';

/** Checks that the database responds and accepts writes (management API, "Indicators of the login service"). */
@Injectable()
export class DbIndicator implements HealthIndicator {
  readonly name = DB_COMPONENT;
  readonly isExternal = true;
  readonly limitMillis: number;
  private readonly probe: DatabaseProbe;
  private readonly query: string | undefined;

  constructor(
    dataSource: DataSource,
    { validationTimeout, connectionTestQuery }: PoolProperties,
    components: HealthComponents,
    private readonly instrumentation: DatabaseInstrumentation,
  ) {
    this.limitMillis = adjustedSettings({
      validationTimeout: validationTimeout.milliseconds,
    }).settings.validationTimeout;
    const pool = poolOf(dataSource);
    this.probe = pool ? new ServerProbe(pool) : new EmbeddedProbe(dataSource);
    this.query = connectionTestQuery?.trim() ? this.probe.translate(connectionTestQuery.trim()) : undefined;
    components.add(this);
  }

  async check(signal: AbortSignal): Promise<Health> {
    const database = await this.probe.product(signal);
    const response = await this.ask(signal);
    await this.probe.write(signal);
    const { lastingFailure: error } = this.instrumentation.retries;
    if (error !== undefined) return { status: 'DOWN', details: { database, ...response, error } };
    return { status: 'UP', details: { database, ...response } };
  }

  private async ask(signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
    if (this.query === undefined) {
      await this.probe.ping(signal);
      return { validationQuery: 'isValid()' };
    }
    return { validationQuery: this.query, result: await this.probe.query(this.query, signal) };
  }
}
