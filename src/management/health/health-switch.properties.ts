import { DataSize } from '../../config/bind/data-size.js';
import { full } from '../../config/bind/effect.js';
import { dataSize, flag, text } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';
import { healthComponent } from '../../health/declared-components.js';

const defaultText = 'same as management.health.defaults.enabled';

export const PING_COMPONENT = healthComponent('ping');
export const DISK_COMPONENT = healthComponent('diskSpace');

/** Which indicators there are, and what the one of the disk looks at. */
@Properties('management.health')
export class HealthSwitchProperties {
  @Key(flag(), {
    name: 'defaults.enabled',
    does: 'Whether health asks the indicators that are not switched on or off one by one.',
    effect: full,
  })
  readonly defaults: boolean = true;

  @Key(flag(), {
    name: 'ping.enabled',
    does: 'Whether health has ping, which is always UP.',
    effect: full,
    defaultText,
  })
  readonly ping?: boolean;

  @Key(flag(), { name: 'db.enabled', does: 'Whether health asks the database.', effect: full, defaultText })
  readonly db?: boolean;

  @Key(flag(), {
    name: 'diskspace.enabled',
    does: 'Whether health looks at the free space of the disk.',
    effect: full,
    defaultText,
  })
  readonly diskspace?: boolean;

  @Key(dataSize(), {
    name: 'diskspace.threshold',
    does: 'Free space below which the disk is DOWN.',
    effect: full,
  })
  readonly diskspaceThreshold: DataSize = DataSize.ofBytes(10 * 1024 * 1024);

  @Key(text({ form: /\S/, called: 'the path of a folder or a file' }), {
    name: 'diskspace.path',
    does: 'Where the free space is looked at: on the disk that holds this folder.',
    effect: full,
  })
  readonly diskspacePath: string = '.';

  @Key(flag(), {
    name: 'kvstore.enabled',
    does: 'Whether health asks the key-value store, where app.data.kvstore.host is set.',
    effect: full,
    defaultText,
  })
  readonly kvstore?: boolean;

  @Key(flag(), {
    name: 'mail.enabled',
    does: 'Whether health asks the mail relay for its greeting, where app.mail.host is set.',
    effect: full,
    defaultText,
  })
  readonly mail?: boolean;

  @Key(flag(), {
    name: 'ssl.enabled',
    does: 'Whether health looks at the certificates of the bundles, where there are any.',
    effect: full,
    defaultText,
  })
  readonly ssl?: boolean;
}

/** The switch of each component that has one. */
export const SWITCH: Readonly<Record<string, 'ping' | 'db' | 'diskspace' | 'kvstore' | 'mail' | 'ssl' | undefined>> = {
  ping: 'ping',
  db: 'db',
  diskSpace: 'diskspace',
  kvstore: 'kvstore',
  mail: 'mail',
  ssl: 'ssl',
};
