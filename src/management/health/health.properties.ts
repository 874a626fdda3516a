import { DataSize } from '../../config/bind/data-size.js';
import { full } from '../../config/bind/effect.js';
import { dataSize, duration, flag, integer, list, map, objects, text } from '../../config/bind/key-type.js';
import { Key, Members, Properties } from '../../config/bind/properties.decorator.js';
import { healthComponent } from '../../health/declared-components.js';
import { type Show, show } from '../access/show.js';
import { Duration } from '../../config/bind/duration.js';
import { DEFAULT_ORDER } from './status.js';

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

export const httpStatus = integer({ min: 200, max: 599 });

const inherited = 'same as without a group';

/** One group of components. */
@Members()
export class HealthGroupProperties {
  @Key(list(text()), {
    does: 'Components of the group, a part of one as whole/part; empty or * is all.',
    effect: full,
  })
  readonly include?: readonly string[];

  @Key(list(text()), { does: 'Components that the group has not although they are included.', effect: full })
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
    does: 'Statuses, the worst first; the group has the first of them that a member has.',
    effect: full,
    defaultText: inherited,
  })
  readonly statusOrder?: readonly string[];

  @Key(map(httpStatus, 'status'), {
    name: 'status.http-mapping',
    does: 'HTTP status of the answer for a status of the group.',
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
    does: 'Who sees the details of components: nobody, callers who say who they are (and have a role), or everybody.',
    effect: full,
  })
  readonly showDetails: Show = 'never';

  @Key(show, { does: 'Who sees the components.', effect: full, defaultText: 'same as show-details' })
  readonly showComponents?: Show;

  @Key(list(text()), {
    does: 'Roles of which a caller needs one where when-authorized is set, with ROLE_ or without; empty asks for none.',
    effect: full,
  })
  readonly roles: readonly string[] = [];

  @Key(list(text()), {
    name: 'status.order',
    does: 'Statuses, the worst first; the whole has the first of them that a component has.',
    effect: full,
  })
  readonly statusOrder: readonly string[] = DEFAULT_ORDER;

  @Key(map(httpStatus, 'status'), {
    name: 'status.http-mapping',
    does: 'HTTP status of the answer for a health status; those that are set replace all of the default.',
    effect: full,
    defaultText: '`DOWN` and `OUT_OF_SERVICE`: `503`, others `200`',
  })
  readonly statusHttpMapping: ReadonlyMap<string, number> = new Map();

  @Key(objects(HealthGroupProperties, 'name'), {
    does: 'Groups of components, each with a status of its own at health/<name>.',
    effect: full,
  })
  readonly group: ReadonlyMap<string, HealthGroupProperties> = new Map();

  @Key(flag(), { does: 'Whether a group that names an unknown component stops the start.', effect: full })
  readonly validateGroupMembership: boolean = true;

  @Key(duration({ min: '0ms' }), {
    name: 'logging.slow-indicator-threshold',
    does: 'Time of one check beyond which a line of the log says so.',
    effect: full,
  })
  readonly slowIndicatorThreshold: Duration = Duration.ofSeconds(10);
}

@Properties('management.endpoint.health.probes')
export class ProbesProperties {
  @Key(flag(), {
    does: 'Adds health/liveness (restart me when down) and health/readiness (send me no requests when down).',
    effect: full,
  })
  readonly enabled: boolean = false;

  @Key(flag(), {
    does: 'Serves them as /livez and /readyz on the main listener, too.',
    effect: full,
  })
  readonly addAdditionalPaths: boolean = false;
}
