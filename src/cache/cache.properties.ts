import { notYet } from '../config/bind/effect.js';
import { oneOf } from '../config/bind/key-type.js';
import { Key, Properties } from '../config/bind/properties.decorator.js';

type CacheType = 'caffeine' | 'kvstore' | 'simple' | 'none';

@Properties('app.cache')
export class CacheProperties {
  @Key(oneOf('caffeine', 'kvstore', 'simple', 'none'), {
    does:
      'Where the cache lives: caffeine in the process with size and expiry, simple in the process without them, ' +
      'kvstore in the key-value store shared by all instances, none off.',
    effect: notYet('F'),
  })
  readonly type: CacheType = 'caffeine';
}
