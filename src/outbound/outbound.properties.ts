import { Duration } from '../config/bind/duration.js';
import { near, notYet } from '../config/bind/effect.js';
import { duration, integer, text } from '../config/bind/key-type.js';
import { Key, Properties } from '../config/bind/properties.decorator.js';

const effect = near('for metadata of identity providers only; both together limit the whole call');

@Properties('app.http.client')
export class HttpClientProperties {
  @Key(duration({ min: '1ms' }), {
    does: 'Longest wait for a connection to another HTTP service.',
    effect,
  })
  readonly connectTimeout: Duration = Duration.ofSeconds(3);

  @Key(duration({ min: '1ms' }), {
    does: 'Longest wait for the response of another HTTP service, and between two parts of it.',
    effect,
  })
  readonly readTimeout: Duration = Duration.ofSeconds(10);
}

@Properties('http')
export class HttpProxyProperties {
  @Key(text({ form: /^[^\s/]+$/, called: 'a host name or an IP address' }), {
    name: 'proxyHost',
    does: 'Proxy for calls to other services over http; if unset, they are called directly.',
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

@Properties('https')
export class HttpsProxyProperties {
  @Key(text({ form: /^[^\s/]+$/, called: 'a host name or an IP address' }), {
    name: 'proxyHost',
    does: 'Proxy for calls to other services over https; if unset, they are called directly.',
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
