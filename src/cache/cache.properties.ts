import { notYet } from '../config/bind/effect.js';
import { oneOf, text } from '../config/bind/key-type.js';
import { Key, Properties } from '../config/bind/properties.decorator.js';

type CacheType = 'caffeine' | 'kvstore' | 'simple' | 'none';

@Properties('app.cache')
export class CacheProperties {
  @Key(oneOf('caffeine', 'kvstore', 'simple', 'none'), {
    does:
      'Kind of cache: caffeine in the process with size and expiry, simple in the process without them, kvstore in ' +
      'the key-value store shared by all instances, none disables it.',
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
      effect: notYet('N', 'The least recently used entry is evicted first; weak and soft references are rejected.'),
    },
  )
  readonly spec: string = '';
}
