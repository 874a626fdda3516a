import { full } from './bind/effect.js';
import { timeZone } from './bind/key-type.js';
import { Key, Properties } from './bind/properties.decorator.js';

/** What a JVM would take as system properties of its own. */
@Properties('user')
export class UserProperties {
  @Key(timeZone(), {
    does: 'Time zone of the process, given as -Duser.timezone or by the variable TZ; must equal app.json.time-zone and that of the database.',
    defaultText: 'the zone of the machine',
    effect: full,
  })
  readonly timezone?: string;
}
