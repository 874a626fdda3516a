import { full } from '../config/bind/effect.js';
import { text } from '../config/bind/key-type.js';
import { Key, Properties } from '../config/bind/properties.decorator.js';

@Properties('server.servlet')
export class ServletProperties {
  @Key(
    text({
      form: /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)*$/,
      called:
        'a path such as /login of letters, digits, - . _ ~ that starts with / and does not end with /, or empty for none',
    }),
    {
      does: 'Path in front of every path of the service, also the path of its cookies; empty for none.',
      effect: full,
    },
  )
  readonly contextPath: string = '';
}
