import { Duration } from '../../config/bind/duration.js';
import { full } from '../../config/bind/effect.js';
import { duration, flag, list, map, objects, text } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';
import { HealthGroupProperties, httpStatus } from './health-group.properties.js';
import { DEFAULT_ORDER } from './status.js';
import { type Show, show } from '../access/show.js';

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
