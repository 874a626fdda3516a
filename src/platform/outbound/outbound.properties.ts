import { withoutUndefined } from '../../kernel/collections/without-undefined.js';
import { Duration } from '../../config/bind/duration.js';
import { full } from '../../config/bind/effect.js';
import {
  duration,
  hostName,
  integer,
  list,
  type ScalarType,
  text,
  withoutBrackets,
} from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';
import { ConversionProblem } from '../../config/problem.js';
import { bundleName } from '../tls/bundle-name.js';
import { networkOf } from './address-guard.js';
import { type ForwardProxy, parseProxy, type ProxySettings } from './forward-proxy.js';

const allowedAddress: ScalarType<string> = {
  ...text(),
  name: 'address, network or host name',
  expects: 'an address, a network such as 10.0.0.0/8, or a host name such as idp.corp or *.corp',
  parse: (value) => {
    const entry = withoutBrackets(value.trim());
    // A text of digits and dots that is no network is a mistake, not a name.
    const isName = /^(?:\*\.)?[a-z\d_](?:[\w.-]*[a-z\d])?$/i.test(entry) && !/^[\d.]+$/.test(entry);
    return networkOf(entry) !== undefined || isName ? entry : new ConversionProblem('not such an entry');
  },
};

const proxyUrl: ScalarType<ForwardProxy> = {
  shape: 'scalar',
  name: 'URL of a proxy',
  expects: 'a URL such as http://user:password@proxy.corp:3128',
  parse: (value) => parseProxy(value.trim()) ?? new ConversionProblem('not a URL of a proxy that is called over http'),
  format: ({ host, port }) => `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
};

export const HTTP_CLIENT_BUNDLE = 'app.http.client.ssl.bundle';

@Properties('app.http.client')
export class HttpClientProperties {
  @Key(duration({ min: '1ms' }), {
    does: 'Longest wait for a connection to another HTTP service, with the look-up of its name, a proxy and TLS.',
    effect: full,
  })
  readonly connectTimeout: Duration = Duration.ofSeconds(3);

  @Key(duration({ min: '1ms' }), {
    does: 'Longest wait for the response of another HTTP service, and between two parts of it.',
    effect: full,
  })
  readonly readTimeout: Duration = Duration.ofSeconds(10);

  @Key(list(allowedAddress), {
    does:
      'Internal addresses, networks and host names that metadata of identity providers and webhooks may use, e.g. ' +
      '10.20.0.0/16,idp.corp,*.intra.example.com; public addresses need no entry.',
    effect: full,
    defaultText: 'public addresses only',
  })
  readonly allowedAddresses: readonly string[] = [];

  @Key(bundleName, {
    name: 'ssl.bundle',
    does:
      'Certificate bundle of calls to other HTTP services (metadata, webhooks, traces, console): its trusted ' +
      'authorities replace those of the runtime, and its certificate, if it has one, identifies this service.',
    effect: full,
  })
  readonly sslBundle?: string;
}

@Properties('http')
export class HttpProxyProperties {
  @Key(hostName(), {
    name: 'proxyHost',
    does: 'Forward proxy for calls to other services over http; takes precedence over HTTP_PROXY.',
    effect: full,
  })
  readonly proxyHost?: string;

  @Key(integer({ min: 1, max: 65_535 }), {
    name: 'proxyPort',
    does: 'Port of the proxy for http.',
    effect: full,
  })
  readonly proxyPort: number = 80;

  @Key(text(), {
    name: 'nonProxyHosts',
    does:
      'Hosts called directly, over http and https alike, separated by |, with * for any start or end, e.g. ' +
      'localhost|*.internal.',
    effect: full,
  })
  readonly nonProxyHosts: string = 'localhost|127.*|[::1]';

  @Key(proxyUrl, {
    does: 'The variable HTTP_PROXY: URL of the forward proxy for http, with or without credentials.',
    effect: full,
    secret: true,
    defaultText: 'no proxy',
  })
  readonly proxy?: ForwardProxy;
}

@Properties('https')
export class HttpsProxyProperties {
  @Key(hostName(), {
    name: 'proxyHost',
    does: 'Forward proxy for calls to other services over https (CONNECT); takes precedence over HTTPS_PROXY.',
    effect: full,
  })
  readonly proxyHost?: string;

  @Key(integer({ min: 1, max: 65_535 }), {
    name: 'proxyPort',
    does: 'Port of the proxy for https.',
    effect: full,
  })
  readonly proxyPort: number = 443;

  @Key(proxyUrl, {
    does: 'The variable HTTPS_PROXY: URL of the forward proxy for https, with or without credentials.',
    effect: full,
    secret: true,
    defaultText: 'no proxy',
  })
  readonly proxy?: ForwardProxy;
}

@Properties('no')
export class NoProxyProperties {
  @Key(text(), {
    does:
      'The variable NO_PROXY: hosts called directly besides those of http.nonProxyHosts, separated by commas: names with ' +
      'their subdomains, addresses, and networks such as 10.0.0.0/8; a port may follow a name, and * means all.',
    effect: full,
  })
  readonly proxy: string = '';
}

/** The proxies in force: system properties take precedence over variables, and either list excludes a host. */
export function proxySettings(
  http: HttpProxyProperties,
  https: HttpsProxyProperties,
  { proxy: noProxy }: NoProxyProperties,
): ProxySettings {
  const { nonProxyHosts } = http;
  return withoutUndefined({ http: proxyOf(http), https: proxyOf(https), nonProxyHosts, noProxy });
}

function proxyOf({
  proxyHost,
  proxyPort,
  proxy,
}: HttpProxyProperties | HttpsProxyProperties): ForwardProxy | undefined {
  return proxyHost === undefined ? proxy : { host: proxyHost, port: proxyPort };
}
