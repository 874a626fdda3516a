import { full } from '../../config/bind/effect.js';
import { flag, map } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';
import { path, segments } from './path-types.js';

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
    does: 'What stands in paths in place of the id of an endpoint, e.g. health: healthcheck.',
    effect: full,
  })
  readonly pathMapping: ReadonlyMap<string, string> = new Map();

  @Key(flag(), {
    name: 'discovery.enabled',
    does: 'Whether the base path itself answers with links to all endpoints that can be called.',
    effect: full,
  })
  readonly discovery: boolean = true;
}
