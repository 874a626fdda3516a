import { Duration } from '../../config/bind/duration.js';
import { type Effect, full, noEffect } from '../../config/bind/effect.js';
import { duration, oneOf } from '../../config/bind/key-type.js';
import type { PropertiesClass } from '../../config/bind/properties-class.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';
import { ACCESS, type Access, ownDefaultAccess } from './access.js';
import { ENDPOINT_IDS } from './endpoint-ids.js';

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
