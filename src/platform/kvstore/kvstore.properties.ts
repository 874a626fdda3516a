import { Duration } from '../../config/bind/duration.js';
import { full } from '../../config/bind/effect.js';
import { hostName, duration, flag, integer, list, text } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';
import { healthComponent } from '../../observability/health/health-components.js';
import { bundleName } from '../tls/bundle-name.js';

/** Health component of the store; registered if a host or sentinels are configured. */
export const KVSTORE_COMPONENT = healthComponent('kvstore');

export const KVSTORE_BUNDLE = 'app.data.kvstore.ssl.bundle';

/** Format of a sentinel: a host name or an IPv4 address, or an IPv6 address in brackets, and a port. */
const NODE = /^(?:[^\s/:[\]]+|\[[0-9a-f:.]+\]):\d{1,5}$/i;

@Properties('app.data.kvstore')
export class KvstoreProperties {
  @Key(hostName(), {
    does: 'Host of the key-value store (Redis 7 or compatible). If neither it nor sentinel.nodes is set, none is used.',
    effect: full,
  })
  readonly host: string = 'localhost';

  @Key(integer({ min: 1, max: 65_535 }), { does: 'Port of the key-value store.', effect: full })
  readonly port: number = 6379;

  @Key(duration({ min: '1ms', max: '10m' }), {
    does:
      'Longest wait for the response to one command of the key-value store; after it, the connection is replaced, and ' +
      'requests do without the store until it responds again.',
    effect: full,
  })
  readonly timeout: Duration = Duration.ofSeconds(60);

  @Key(duration({ min: '1ms', max: '10m' }), {
    does: 'Longest wait for a connection to the key-value store.',
    effect: full,
    defaultText: 'as timeout',
  })
  readonly connectTimeout?: Duration;

  @Key(text(), { does: 'Username at the key-value store, if it has access lists.', effect: full })
  readonly username?: string;

  @Key(text(), {
    does: 'Password at the key-value store; write ${NAME} and set NAME in the environment.',
    effect: full,
  })
  readonly password?: string;

  @Key(integer({ min: 0 }), { does: 'Number of the database in the key-value store.', effect: full })
  readonly database: number = 0;

  @Key(flag(), {
    name: 'ssl.enabled',
    does: 'Whether connections to the key-value store and its sentinels are encrypted.',
    effect: full,
    defaultText: 'true if ssl.bundle is set, otherwise false',
  })
  readonly sslEnabled?: boolean;

  @Key(bundleName, {
    name: 'ssl.bundle',
    does:
      'Certificate bundle of connections to the key-value store: its trusted authorities replace those of the ' +
      'runtime, and its certificate, if it has one, identifies this service.',
    effect: full,
  })
  readonly sslBundle?: string;

  @Key(text({ form: /^\S+$/, called: 'a name without blanks' }), {
    name: 'sentinel.master',
    does: 'Name under which the sentinels know the primary of the key-value store.',
    effect: full,
  })
  readonly sentinelMaster?: string;

  @Key(list(text({ form: NODE, called: 'addresses such as sentinel-1:26379' })), {
    name: 'sentinel.nodes',
    does:
      'Sentinels, as host:port. They name the primary of the key-value store at every new connection; host and port ' +
      'are then not used.',
    effect: full,
  })
  readonly sentinelNodes: readonly string[] = [];

  @Key(text(), { name: 'sentinel.username', does: 'Username at the sentinels.', effect: full })
  readonly sentinelUsername?: string;

  @Key(text(), {
    name: 'sentinel.password',
    does: 'Password at the sentinels; write ${NAME} and set NAME in the environment.',
    effect: full,
  })
  readonly sentinelPassword?: string;

  get isEncrypted(): boolean {
    return this.sslEnabled ?? this.sslBundle !== undefined;
  }
}
