import { notYet } from '../config/bind/effect.js';
import { integer, text } from '../config/bind/key-type.js';
import { Key, Properties } from '../config/bind/properties.decorator.js';

@Properties('https')
export class HttpsProxyProperties {
  @Key(text({ form: /^[^\s/]+$/, called: 'a host name or an IP address' }), {
    name: 'proxyHost',
    does: 'Proxy for calls to other services over https; unset, they are called directly.',
    effect: notYet('F'),
  })
  readonly proxyHost?: string;

  @Key(integer({ min: 1, max: 65_535 }), {
    name: 'proxyPort',
    does: 'Port of the proxy for https.',
    effect: notYet('F'),
  })
  readonly proxyPort: number = 443;
}
