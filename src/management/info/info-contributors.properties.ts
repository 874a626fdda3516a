import { notYet } from '../config/effect.js';
import { flag } from '../config/key-type.js';
import { Key, Properties } from '../config/properties.decorator.js';

@Properties('management.info.env')
export class EnvInfoProperties {
  @Key(flag(), { does: 'Whether the info endpoint shows the keys below info.', effect: notYet('F') })
  readonly enabled: boolean = false;
}
