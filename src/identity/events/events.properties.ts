import type { Duration } from '../../config/bind/duration.js';
import { full } from '../../config/bind/effect.js';
import { duration } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';

@Properties('app.security.events')
export class EventProperties {
  @Key(duration({ unit: 'd', min: '1d' }), {
    does: 'Security events older than this are deleted in the background, for example 400d.',
    effect: full,
    defaultText: 'events are kept for ever',
  })
  readonly retention?: Duration;
}
