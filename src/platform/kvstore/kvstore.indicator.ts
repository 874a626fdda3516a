import { Injectable } from '@nestjs/common';
import { type Health, HealthComponents, type HealthIndicator } from '../../observability/health/health-components.js';
import { KVSTORE_COMPONENT } from './kvstore.properties.js';
import { Kvstore } from './kvstore.service.js';

/** Reports whether the configured key-value store responds (management API, "Indicators of the login service"). */
@Injectable()
export class KvstoreIndicator implements HealthIndicator {
  readonly name = KVSTORE_COMPONENT;
  readonly isExternal = true;
  readonly limitMillis: number;

  constructor(
    private readonly kvstore: Kvstore,
    components: HealthComponents,
  ) {
    this.limitMillis = kvstore.timeoutMillis;
    if (kvstore.isConfigured) components.add(this);
  }

  async check(): Promise<Health> {
    const sections = String(await this.kvstore.send('INFO', 'server'));
    const [, version] = /^redis_version:(\S+)/m.exec(sections) ?? [];
    return { status: 'UP', details: { version: version ?? 'unknown' } };
  }
}
