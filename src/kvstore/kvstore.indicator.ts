import { Injectable } from '@nestjs/common';
import { Configuration } from '../config/configuration.js';
import { exchange } from '../health/exchange.js';
import { type Health, HealthComponents, type HealthIndicator } from '../health/health-components.js';
import { KVSTORE_COMPONENT, KvstoreProperties } from './kvstore.properties.js';

/** The head of a bulk reply: a length, followed by that many bytes. An error is one line. */
const WHOLE_BULK = /^\$(\d+)\r\n/;

/** Reports whether the configured key-value store responds (management API, "Indicators of the login service"). */
@Injectable()
export class KvstoreIndicator implements HealthIndicator {
  readonly name = KVSTORE_COMPONENT;
  readonly isExternal = true;
  readonly limitMillis: number;

  constructor(
    private readonly properties: KvstoreProperties,
    configuration: Configuration,
    components: HealthComponents,
  ) {
    this.limitMillis = properties.timeout.milliseconds;
    if (configuration.isSet('app.data.kvstore.host')) components.add(this);
  }

  async check(signal: AbortSignal): Promise<Health> {
    const { host, port } = this.properties;
    const question = 'INFO server\r\n';
    const answer = await exchange(
      { host, port, request: question, isComplete: isWholeReply, farewell: 'QUIT\r\n' },
      signal,
    );
    const [, version] = /^redis_version:(\S+)/m.exec(answer) ?? [];
    if (version === undefined) throw new Error(answer.split('\r\n')[0]);
    return { status: 'UP', details: { version } };
  }
}

function isWholeReply(reply: string): boolean {
  if (!reply.startsWith('$')) return reply.endsWith('\r\n');
  const [head = '', length = '0'] = WHOLE_BULK.exec(reply) ?? [];
  return head !== '' && reply.length >= head.length + Number(length);
}
