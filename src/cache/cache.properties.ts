import { notYet } from '../config/bind/effect.js';
import { oneOf, text } from '../config/bind/key-type.js';
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

@Properties('app.cache.caffeine')
export class CaffeineProperties {
  @Key(
    text({
      form: /^(?:\s*[a-z]+(?:=[^,=\s]+)?\s*(?:,(?!\s*$)|$))*$/i,
      called: 'a list of limits such as maximumSize=1000,expireAfterWrite=10m',
    }),
    {
      does:
        'Size and expiry of the cache in the process, e.g. maximumSize=1000,expireAfterWrite=10m; empty sets no ' +
        'limit.',
      effect: notYet('N', 'The entry unused for longest goes first; weak and soft references are refused.'),
    },
  )
  readonly spec: string = '';
}
