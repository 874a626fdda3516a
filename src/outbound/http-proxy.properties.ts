import { notYet } from '../config/bind/effect.js';
import { integer, text } from '../config/bind/key-type.js';
import { Key, Properties } from '../config/bind/properties.decorator.js';

@Properties('http')
export class HttpProxyProperties {
  @Key(text({ form: /^[^\s/]+$/, called: 'a host name or an IP address' }), {
    name: 'proxyHost',
    does: 'Proxy for calls to other services over http; unset, they are called directly.',
    effect: notYet('F'),
  })
  readonly proxyHost?: string;

  @Key(integer({ min: 1, max: 65_535 }), {
    name: 'proxyPort',
    does: 'Port of the proxy for http.',
    effect: notYet('F'),
  })
  readonly proxyPort: number = 80;

  @Key(text(), {
    name: 'nonProxyHosts',
    does:
      'Hosts called directly, over http and https alike, separated by |, with * for any start or end, e.g. ' +
      'localhost|*.internal.',
    effect: notYet('F'),
  })
  readonly nonProxyHosts: string = 'localhost|127.*|[::1]';
}
