import { notYet } from '../../config/effect.js';
import { flag } from '../../config/key-type.js';
import { Key, Properties } from '../../config/properties.decorator.js';

@Properties('management.health.db')
export class DbHealthProperties {
  @Key(flag(), { does: 'Whether health asks the database.', effect: notYet('F') })
  readonly enabled: boolean = true;
}
