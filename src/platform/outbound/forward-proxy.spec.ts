import { expect, it } from 'vitest';
import { ForwardProxies, parseProxy } from './forward-proxy.js';

const proxy = { host: 'proxy.test', port: 3128 };

it.each([
  ['localhost|127.*|[::1]', '', 'http://127.0.0.5/', true],
  ['localhost|127.*|[::1]', '', 'https://[::1]:8443/', true],
  ['*.internal', '', 'https://a.INTERNAL/', true],
  ['*.internal', '', 'https://internal/', false],
  ['a.b', '', 'https://axb/', false],
  ['', 'example.com', 'https://example.com/', true],
  ['', '.example.com', 'https://a.example.com/', true],
  ['', 'example.com', 'https://badexample.com/', false],
  ['', 'a.test, b.test:8080', 'http://b.test:8080/', true],
  ['', 'b.test:8080', 'http://b.test/', false],
  ['', '::1', 'http://[::1]/', true],
  ['', '[::1]:80', 'http://[::1]/', true],
  ['', '[::1]:81', 'http://[::1]/', false],
  ['', '0:0::1', 'http://[::1]/', true],
  ['', 'a.test,10.20.0.0/16', 'http://10.20.3.4/', true],
  ['', 'a.test,10.20.0.0/16', 'http://10.21.0.1/', false],
  ['', '10.20.0.0/16', 'http://10.20.3.4.test/', false],
  ['', 'fd12::/16', 'https://[fd12::7]/', true],
  ['', '*', 'https://example.com/', true],
  ['', '', 'https://example.com/', false],
])('with nonProxyHosts "%s" and NO_PROXY "%s", %s is called directly: %s', (nonProxyHosts, noProxy, url, isDirect) => {
  const proxies = new ForwardProxies({ http: proxy, https: proxy, nonProxyHosts, noProxy });

  expect(proxies.of(new URL(url))).toEqual(isDirect ? undefined : proxy);
});

it.each([
  ['http://proxy.test:3128', proxy],
  ['proxy.test:3128', proxy],
  ['http://[::1]/', { host: '::1', port: 80 }],
  ['http://u:p%40ss@proxy.test:3128/', { ...proxy, authorization: `Basic ${btoa('u:p@ss')}` }],
  ['socks5://proxy.test:1080', undefined],
  ['https://proxy.test', undefined],
  ['http://proxy.test/path', undefined],
  ['http://u:%zz@proxy.test', undefined],
])('the URL %s of a forward proxy is read as %j', (text, read) => {
  expect(parseProxy(text)).toEqual(read);
});
