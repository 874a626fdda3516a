import { full, noEffect } from '../../config/bind/effect.js';
import { duration, flag, list, oneOf, text } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';
import { ACCESS, type Access, ownDefaultAccess } from './access.js';
import { Duration } from '../../config/bind/duration.js';
import type { PropertiesClass, SelfChecking, Violation } from '../../config/bind/properties-class.js';
import { definitionOf, ENDPOINT_IDS, type EndpointId } from './endpoint-ids.js';

@Properties('management.endpoints.access')
export class AccessProperties {
  @Key(oneOf(...ACCESS), {
    name: 'default',
    does: 'Default access of the management endpoints: none, read-only, or unrestricted.',
    effect: full,
    defaultText: 'none for shutdown and heapdump, else unrestricted',
  })
  readonly defaultAccess?: Access;

  @Key(oneOf(...ACCESS), {
    does: 'Upper limit for the access of any management endpoint, whatever other keys set.',
    effect: full,
  })
  readonly maxPermitted: Access = 'unrestricted';
}

/** The keys that every endpoint has. */
export interface EndpointKeys {
  readonly access?: Access;
  readonly timeToLive: Duration;
}

/** One class for each endpoint, by its id; keys below any other id are unknown. */
export const ENDPOINT_KEYS: ReadonlyMap<EndpointId, PropertiesClass<EndpointKeys>> = new Map(
  ENDPOINT_IDS.map((id) => [id, createKeys(id)]),
);

export const ENDPOINT_CLASSES: readonly PropertiesClass[] = [...ENDPOINT_KEYS.values()];

export function keysOfEndpoint(id: EndpointId): PropertiesClass<EndpointKeys> {
  const type = ENDPOINT_KEYS.get(id);
  if (!type) throw new TypeError(`no keys for the management endpoint ${id}`);
  return type;
}

export function isCacheable(id: EndpointId): boolean {
  return definitionOf(id).notCached === undefined;
}

function createKeys(id: EndpointId): PropertiesClass<EndpointKeys> {
  const { notCached } = definitionOf(id);
  @Properties(`management.endpoint.${id}`)
  class AccessProperties implements EndpointKeys {
    @Key(oneOf(...ACCESS), {
      does: `Access to ${id}: none, read-only, or unrestricted for every caller with access to the management endpoints.`,
      effect: full,
      defaultText: `management.endpoints.access.default, else ${ownDefaultAccess(id)}`,
    })
    readonly access?: Access;

    @Key(duration(), {
      name: 'cache.time-to-live',
      does: `Time for which a response of ${id} to a read without parameters is cached, per caller.`,
      effect: notCached === undefined ? full : noEffect(notCached),
    })
    readonly timeToLive: Duration = Duration.ofMillis(0);
  }
  const name = `${id.charAt(0).toUpperCase()}${id.slice(1)}${AccessProperties.name}`;
  return Object.defineProperty(AccessProperties, 'name', { value: name });
}

@Properties('management.endpoints.web.exposure')
export class ExposureProperties {
  @Key(list(text()), {
    does:
      'Management endpoints that are exposed, as ids; * means all; in production health, info, metrics and loggers ' +
      'only.',
    effect: full,
  })
  readonly include: readonly string[] = ['health'];

  @Key(list(text()), {
    does: 'Management endpoints that are not exposed although they are included, as ids; * means all.',
    effect: full,
  })
  readonly exclude: readonly string[] = [];
}

// RFC 7617 section 2: the first colon ends the name.
const accountName = text({ form: /^[^:\p{Cc}]+$/u, called: 'a name without colon and control characters' });
const accountPassword = text({ form: /^[^\p{Cc}]+$/u, called: 'a text without control characters' });

/** An account of HTTP Basic. */
export interface BasicAccountKeys {
  readonly user: string;
  readonly password: string;
}

@Properties('management.security')
export class ManagementSecurityProperties implements SelfChecking {
  @Key(flag(), {
    does:
      'Whether callers of management endpoints other than health must authenticate; false opens all exposed ' +
      'endpoints and is accepted only if management.server.port is a port of its own.',
    effect: full,
  })
  readonly enabled: boolean = true;

  @Key(accountName, {
    does: 'Name of the account that may call the management endpoints by HTTP Basic, also those that change something.',
    effect: full,
    defaultText: 'none: access tokens with ROLE_MANAGEMENT only',
  })
  readonly user?: string;

  @Key(accountPassword, {
    does: 'Password of that account; generate it at random and write ${NAME} for it.',
    effect: full,
    defaultText: 'none',
  })
  readonly password?: string;

  @Key(accountName, {
    name: 'monitoring.user',
    does:
      'Name of an account for a scraper, which may only read by HTTP Basic: no writes, and none of env, configprops, ' +
      'heapdump and logfile.',
    effect: full,
    defaultText: 'none',
  })
  readonly monitoringUser?: string;

  @Key(accountPassword, {
    name: 'monitoring.password',
    does: 'Password of the monitoring account; generate it at random and write ${NAME} for it.',
    effect: full,
    defaultText: 'none',
  })
  readonly monitoringPassword?: string;

  /** The account that may do everything. */
  get operatorAccount(): BasicAccountKeys | undefined {
    return accountOf(this.user, this.password);
  }

  /** The account that may only read. */
  get monitoringAccount(): BasicAccountKeys | undefined {
    return accountOf(this.monitoringUser, this.monitoringPassword);
  }

  violations(): readonly Violation[] {
    const { user, monitoringUser } = this;
    const isSame = user !== undefined && user.normalize('NFC') === monitoringUser?.normalize('NFC');
    return [
      ...halfAccount(this, 'user', 'password', 'management.security'),
      ...halfAccount(this, 'monitoringUser', 'monitoringPassword', 'management.security.monitoring'),
      ...(isSame
        ? [{ property: 'monitoringUser', against: ['user'], reason: 'is also the name of management.security.user' }]
        : []),
    ];
  }
}

function accountOf(user: string | undefined, password: string | undefined): BasicAccountKeys | undefined {
  return user === undefined || password === undefined ? undefined : { user, password };
}

/** Reports an account of which one key is set. */
function halfAccount<Name extends 'user' | 'password' | 'monitoringUser' | 'monitoringPassword'>(
  keys: Pick<ManagementSecurityProperties, Name>,
  user: Name,
  password: Name,
  prefix: string,
): readonly Violation[] {
  if ((keys[user] === undefined) === (keys[password] === undefined)) return [];
  return keys[user] === undefined
    ? [
        {
          property: password,
          against: [user],
          reason: `${prefix}.user is not set`,
          action: `Set ${prefix}.user to the name of the account, or remove its password.`,
        },
      ]
    : [
        {
          property: user,
          against: [password],
          reason: `${prefix}.password is not set`,
          action: `Set ${prefix}.password to \${NAME} of a variable with the password, or remove the user.`,
        },
      ];
}
