import { full } from '../../config/bind/effect.js';
import { flag, integer, map, type ScalarType, text } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';
import { address } from '../../platform/http/address.js';

/** A base path. */
export const path: ScalarType<string> = text({
  form: /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)*\/?$/,
  called: 'a path such as /actuator that starts with /, or empty',
});

/** One or more segments inside a path. */
export const segments: ScalarType<string> = text({
  form: /^(?!\.{1,2}(?:\/|$))[\w.~-]+(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)*$/,
  called: 'a part of a path such as healthcheck, without / at either end',
});

@Properties('management.server')
export class ManagementServerProperties {
  @Key(integer({ max: 65_535 }), {
    does:
      'Port of a separate listener for the management endpoints; keep it inside the network; 0 selects any free ' +
      'port, a negative number disables the endpoints.',
    effect: full,
    defaultText: 'same as server.port',
  })
  readonly port?: number;

  @Key(address, {
    does: 'Address the listener of the management endpoints binds to, if it has a port of its own.',
    effect: full,
    defaultText: 'same as server.address',
  })
  readonly address?: string;

  @Key(path, {
    does:
      'Path in front of management.endpoints.web.base-path if the endpoints have a port of their own; the context ' +
      'path of the application does not apply there.',
    effect: full,
  })
  readonly basePath: string = '';
}

@Properties('management.endpoints.web')
export class ManagementWebProperties {
  @Key(path, {
    does:
      'Path in front of every management endpoint; one / at its end is ignored; empty puts them directly under the ' +
      'root.',
    effect: full,
  })
  readonly basePath: string = '/actuator';

  @Key(map(segments, 'id'), {
    does: 'Path segment in place of the id of an endpoint, e.g. health: healthcheck.',
    effect: full,
  })
  readonly pathMapping: ReadonlyMap<string, string> = new Map();

  @Key(flag(), {
    name: 'discovery.enabled',
    does: 'Whether the base path lists links to all endpoints that can be called.',
    effect: full,
  })
  readonly discovery: boolean = true;
}
