import { full } from './effect.js';
import { timeZone } from './key-type.js';
import { Key, Properties } from './properties.decorator.js';

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
