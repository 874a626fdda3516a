import { full } from '../../config/bind/effect.js';
import { text } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';

@Properties('server.ssl')
export class SslProperties {
  @Key(text({ form: /\S/, called: 'the name of a bundle' }), {
    does:
      'Name of the certificate bundle (app.ssl.bundle) the main listener speaks TLS with; a management listener on a ' +
      'port of its own stays plain HTTP.',
    effect: full,
    defaultText: 'plain HTTP',
  })
  readonly bundle?: string;
}
