import { DataSize } from '../../config/bind/data-size.js';
import { full } from '../../config/bind/effect.js';
import { dataSize, duration, flag, integer, list, map, objects, text } from '../../config/bind/key-type.js';
import { Key, Members, Properties } from '../../config/bind/properties.decorator.js';
import { healthComponent } from '../../observability/health/health-components.js';
import { type Show, show } from '../access/access.js';
import { Duration } from '../../config/bind/duration.js';
import { DEFAULT_ORDER } from './status.js';

const defaultText = 'same as management.health.defaults.enabled';

export const PING_COMPONENT = healthComponent('ping');
export const DISK_COMPONENT = healthComponent('diskSpace');

/** Switches of the indicators, and the settings of the disk indicator. */
@Properties('management.health')
export class HealthSwitchProperties {
  @Key(flag(), {
    name: 'defaults.enabled',
    does: 'Whether health includes the indicators that are not enabled or disabled one by one.',
    effect: full,
  })
  readonly defaults: boolean = true;

  @Key(flag(), {
    name: 'ping.enabled',
    does: 'Whether health includes ping, which is always UP.',
    effect: full,
    defaultText,
  })
  readonly ping?: boolean;

  @Key(flag(), { name: 'db.enabled', does: 'Whether health checks the database.', effect: full, defaultText })
  readonly db?: boolean;

  @Key(flag(), {
    name: 'diskspace.enabled',
    does: 'Whether health checks the free space of the disk.',
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
    does: 'Folder on the disk of which the free space is checked.',
    effect: full,
  })
  readonly diskspacePath: string = '.';

  @Key(flag(), {
    name: 'kvstore.enabled',
    does: 'Whether health checks the key-value store, if app.data.kvstore.host is set.',
    effect: full,
    defaultText,
  })
  readonly kvstore?: boolean;

  @Key(flag(), {
    name: 'mail.enabled',
    does: 'Whether health checks the greeting of the mail relay, if app.mail.host is set.',
    effect: full,
    defaultText,
  })
  readonly mail?: boolean;

  @Key(flag(), {
    name: 'ssl.enabled',
    does: 'Whether health checks the certificates of the bundles, if there are any.',
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

export const httpStatus = integer({ min: 200, max: 599 });

const inherited = 'same as without a group';

/** One group of components. */
@Members()
export class HealthGroupProperties {
  @Key(list(text()), {
    does: 'Components of the group; name a part of one as whole/part; empty or * means all.',
    effect: full,
  })
  readonly include?: readonly string[];

  @Key(list(text()), { does: 'Components that are excluded from the group although they are included.', effect: full })
  readonly exclude?: readonly string[];

  @Key(show, { does: 'Who sees the details of the group.', effect: full, defaultText: inherited })
  readonly showDetails?: Show;

  @Key(show, { does: 'Who sees the components of the group.', effect: full, defaultText: inherited })
  readonly showComponents?: Show;

  @Key(list(text()), {
    does: 'Roles of which a caller needs one to see more than the status of the group.',
    effect: full,
    defaultText: inherited,
  })
  readonly roles?: readonly string[];

  @Key(list(text()), {
    name: 'status.order',
    does: 'Statuses, the worst first; the status of the group is the worst of its members.',
    effect: full,
    defaultText: inherited,
  })
  readonly statusOrder?: readonly string[];

  @Key(map(httpStatus, 'status'), {
    name: 'status.http-mapping',
    does: 'HTTP status of the response for a status of the group.',
    effect: full,
    defaultText: inherited,
  })
  readonly statusHttpMapping: ReadonlyMap<string, number> = new Map();

  @Key(
    text({
      form: /^(?:server|management):\/(?!\.{1,2}$)[\w.~-]+$/,
      called: 'server: or management: and a path of one part, such as server:/healthz',
    }),
    {
      does: 'One more path of the group, directly below the root of the main or of the management listener.',
      effect: full,
      defaultText: 'none',
    },
  )
  readonly additionalPath?: string;
}

@Properties('management.endpoint.health')
export class HealthEndpointProperties {
  @Key(show, {
    does:
      'Who sees the details of components: no caller, authenticated callers (with one of the roles), or every ' +
      'caller.',
    effect: full,
  })
  readonly showDetails: Show = 'never';

  @Key(show, { does: 'Who sees the components.', effect: full, defaultText: 'same as show-details' })
  readonly showComponents?: Show;

  @Key(list(text()), {
    does: 'Roles of which a caller needs one with when-authorized, with or without ROLE_; empty requires none.',
    effect: full,
  })
  readonly roles: readonly string[] = [];

  @Key(list(text()), {
    name: 'status.order',
    does: 'Statuses, the worst first; the overall status is the worst of all components.',
    effect: full,
  })
  readonly statusOrder: readonly string[] = DEFAULT_ORDER;

  @Key(map(httpStatus, 'status'), {
    name: 'status.http-mapping',
    does: 'HTTP status of the response for a health status; configured entries replace all of the default.',
    effect: full,
    defaultText: '`DOWN` and `OUT_OF_SERVICE`: `503`, others `200`',
  })
  readonly statusHttpMapping: ReadonlyMap<string, number> = new Map();

  @Key(objects(HealthGroupProperties, 'name'), {
    does: 'Groups of components, each with a status of its own at health/<name>.',
    effect: full,
  })
  readonly group: ReadonlyMap<string, HealthGroupProperties> = new Map();

  @Key(flag(), { does: 'Whether a group that names an unknown component prevents startup.', effect: full })
  readonly validateGroupMembership: boolean = true;

  @Key(duration({ min: '0ms' }), {
    name: 'logging.slow-indicator-threshold',
    does: 'Duration of a check above which a warning is logged.',
    effect: full,
  })
  readonly slowIndicatorThreshold: Duration = Duration.ofSeconds(10);
}

@Properties('management.endpoint.health.probes')
export class ProbesProperties {
  @Key(flag(), {
    does: 'Adds health/liveness (restart the process when DOWN) and health/readiness (send it no requests when DOWN).',
    effect: full,
  })
  readonly enabled: boolean = false;

  @Key(flag(), {
    does: 'Serves them as /livez and /readyz on the main listener as well.',
    effect: full,
  })
  readonly addAdditionalPaths: boolean = false;
}
