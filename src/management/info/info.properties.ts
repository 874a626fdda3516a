import { full } from '../../config/bind/effect.js';
import { map, text } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';

@Properties('info')
export class InfoProperties {
  @Key(map(text(), 'name'), {
    name: '',
    does:
      'Free facts that the info endpoint shows where management.info.env.enabled is true, e.g. info.app.version; ' +
      'everybody who may call it can read them.',
    effect: full,
  })
  readonly values: ReadonlyMap<string, string> = new Map();
}
