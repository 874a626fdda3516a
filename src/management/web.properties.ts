import { full } from '../config/effect.js';
import { text } from '../config/key-type.js';
import { Key, Properties } from '../config/properties.decorator.js';

@Properties('management.endpoints.web')
export class ManagementWebProperties {
  @Key(
    text({
      form: /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)*\/?$/,
      called: 'a path such as /actuator that starts with /, or empty',
    }),
    {
      does:
        'Path in front of every management endpoint; one / at its end is ignored; empty puts them directly under the ' +
        'root.',
      effect: full,
    },
  )
  readonly basePath: string = '/actuator';
}
