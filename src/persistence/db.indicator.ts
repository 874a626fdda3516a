import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Health, HealthComponents, type HealthIndicator } from '../health/health-components.js';
import { type DatabaseProbe, EmbeddedProbe, ServerProbe } from './engines/database-probe.js';
import { DB_COMPONENT, PoolProperties } from './datasource.properties.js';

/** A shorter timeout is replaced by the default. */
const MIN_TIMEOUT_MILLIS = 250;

/** Checks that the database responds (management API, "Indicators of the login service"). */
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
  ) {
    const { milliseconds } = validationTimeout;
    this.limitMillis =
      milliseconds < MIN_TIMEOUT_MILLIS ? new PoolProperties().validationTimeout.milliseconds : milliseconds;
    this.probe =
      dataSource.options.type === 'better-sqlite3' ? new EmbeddedProbe(dataSource) : new ServerProbe(dataSource);
    this.query = connectionTestQuery?.trim() ? this.probe.translate(connectionTestQuery.trim()) : undefined;
    components.add(this);
  }

  async check(signal: AbortSignal): Promise<Health> {
    const database = await this.probe.product(signal);
    if (this.query === undefined) {
      await this.probe.ping(signal);
      return { status: 'UP', details: { database, validationQuery: 'isValid()' } };
    }
    const result = await this.probe.query(this.query, signal);
    return { status: 'UP', details: { database, validationQuery: this.query, result } };
  }
}
