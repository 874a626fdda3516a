import { full, near } from '../../config/bind/effect.js';
import { oneOf, text } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';

type CacheType = 'caffeine' | 'kvstore' | 'simple' | 'none';

@Properties('app.cache')
export class CacheProperties {
  @Key(oneOf('caffeine', 'kvstore', 'simple', 'none'), {
    does:
      'Kind of cache: caffeine in the process with the limits of caffeine.spec, simple in the process without them, ' +
      'kvstore in the key-value store shared by all instances, none disables it.',
    effect: full,
  })
  readonly type: CacheType = 'caffeine';
}

@Properties('app.cache.caffeine')
export class CaffeineProperties {
  @Key(text(), {
    does:
      'Limits of each cache in the process: maximumSize, expireAfterWrite, expireAfterAccess, initialCapacity, and ' +
      'recordStats for the meters of hits, misses, puts and evictions; empty sets none of them.',
    effect: near(
      'The entry that was not used for the longest time is evicted first, while Caffeine also considers how often it was ' +
        'used; initialCapacity is only checked, since memory is allocated by maximumSize; whatever the limits are, a ' +
        'cache has at most 50,000 entries and a longest age of its own.',
    ),
  })
  readonly spec: string = '';
}
