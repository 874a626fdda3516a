import { notYet } from '../config/bind/effect.js';
import { text } from '../config/bind/key-type.js';
import { Key, Properties } from '../config/bind/properties.decorator.js';

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
