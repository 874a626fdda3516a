import { full } from '../../../config/bind/effect.js';
import { flag } from '../../../config/bind/key-type.js';
import { Key, Properties } from '../../../config/bind/properties.decorator.js';

@Properties('app.persistence')
export class PersistenceProperties {
  @Key(flag(), {
    does:
      'Whether startup runs pending migrations; otherwise they prevent startup until the command "migrate up" has run ' +
      'them.',
    effect: full,
    defaultText: 'true; false with profile prod on a database server',
  })
  readonly migrateAtStart?: boolean;
}
