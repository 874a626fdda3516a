import { type Effect, full, noEffect } from '../../config/bind/effect.js';
import { duration, flag, list, oneOf, text } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';
import { ACCESS, type Access, ownDefaultAccess } from './access.js';
import { Duration } from '../../config/bind/duration.js';
import type { PropertiesClass, SelfChecking, Violation } from '../../config/bind/properties-class.js';
import { ENDPOINT_IDS } from './endpoint-ids.js';

@Properties('management.endpoints.access')
export class AccessProperties {
  @Key(oneOf(...ACCESS), {
    name: 'default',
    does: 'Access of the management endpoints that set none: nobody, reading only, or all that they offer.',
    effect: full,
    defaultText: 'none for shutdown and heapdump, else unrestricted',
  })
  readonly byDefault?: Access;

  @Key(oneOf(...ACCESS), {
    does: 'Most access that any management endpoint has, whatever other keys say.',
    effect: full,
  })
  readonly maxPermitted: Access = 'unrestricted';
}

/** The keys that every endpoint has. */
export interface EndpointKeys {
  readonly access?: Access;
  readonly timeToLive: Duration;
}

/** Endpoints of which no answer is given again, and why. */
const NOT_CACHED: Readonly<Record<string, Effect>> = {
  shutdown: noEffect('there is nothing to read'),
  heapdump: noEffect('a dump is not kept in memory'),
  logfile: noEffect('the file is not kept in memory'),
};

/** The class of each endpoint's keys, by its id: what is below any other id is an unknown key. */
export const ENDPOINT_KEYS: ReadonlyMap<string, PropertiesClass<EndpointKeys>> = new Map(
  ENDPOINT_IDS.map((id) => [id, keysOf(id)]),
);

export const ENDPOINT_CLASSES: readonly PropertiesClass[] = [...ENDPOINT_KEYS.values()];

export function isCacheable(id: string): boolean {
  return !Object.hasOwn(NOT_CACHED, id);
}

function keysOf(id: string): PropertiesClass<EndpointKeys> {
  @Properties(`management.endpoint.${id}`)
  class AccessProperties implements EndpointKeys {
    @Key(oneOf(...ACCESS), {
      does: `Who may call ${id}: nobody, readers only, or everybody who may call it at all.`,
      effect: full,
      defaultText: `management.endpoints.access.default, else ${ownDefaultAccess(id)}`,
    })
    readonly access?: Access;

    @Key(duration(), {
      name: 'cache.time-to-live',
      does: `How long an answer of ${id} to a read without parameters is given again, to the same caller.`,
      effect: NOT_CACHED[id] ?? full,
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
      'Management endpoints that can be called, as ids; * is all of them; in production health, info, metrics and ' +
      'loggers only.',
    effect: full,
  })
  readonly include: readonly string[] = ['health'];

  @Key(list(text()), {
    does: 'Management endpoints that cannot be called although they are included, as ids; * is all of them.',
    effect: full,
  })
  readonly exclude: readonly string[] = [];
}

@Properties('management.security')
export class ManagementSecurityProperties implements SelfChecking {
  @Key(flag(), {
    does:
      'Whether callers of management endpoints other than health must say who they are; false opens all that are ' +
      'exposed, and is taken only where management.server.port is a port of their own.',
    effect: full,
  })
  readonly enabled: boolean = true;

  // RFC 7617 section 2: the first colon ends the name.
  @Key(text({ form: /^[^:\p{Cc}]+$/u, called: 'a name without colon and control characters' }), {
    does: 'Name of the account that may call the management endpoints by HTTP Basic.',
    effect: full,
    defaultText: 'none: access tokens with ROLE_MANAGEMENT only',
  })
  readonly user?: string;

  @Key(text({ form: /^[^\p{Cc}]+$/u, called: 'a text without control characters' }), {
    does: 'Password of that account; make it at random and write ${NAME} for it.',
    effect: full,
    defaultText: 'none',
  })
  readonly password?: string;

  violations(): readonly Violation[] {
    if ((this.user === undefined) === (this.password === undefined)) return [];
    return this.user === undefined
      ? [
          {
            property: 'password',
            against: ['user'],
            reason: 'management.security.user is not set',
            action: 'Set management.security.user to the name of the account, or remove its password.',
          },
        ]
      : [
          {
            property: 'user',
            against: ['password'],
            reason: 'management.security.password is not set',
            action: 'Set management.security.password to ${NAME} of a variable with the password, or remove the user.',
          },
        ];
  }
}
