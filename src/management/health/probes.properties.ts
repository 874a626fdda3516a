import { full } from '../../config/bind/effect.js';
import { flag } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';

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
