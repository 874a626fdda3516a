import { BlockList, isIP } from 'node:net';
import { networkOf } from './address-guard.js';
import { HostPatterns } from './host-patterns.js';

/** A forward proxy, which is called over plain HTTP. */
export interface ForwardProxy {
  readonly host: string;
  readonly port: number;
  /** Value of `Proxy-Authorization`. */
  readonly authorization?: string;
}

export interface ProxySettings {
  readonly http?: ForwardProxy;
  readonly https?: ForwardProxy;
  /** Hosts separated by `|`, with `*` at the start or end. */
  readonly nonProxyHosts: string;
  /**
   * Hosts separated by commas: names with their subdomains, `host:port`, networks such as 10.0.0.0/8, or `*` for all.
   */
  readonly noProxy: string;
}

/** Chooses the forward proxy of a call. */
export class ForwardProxies {
  private readonly direct: HostPatterns;
  private readonly excluded: readonly string[];
  private readonly excludedNetworks = new BlockList();

  constructor(private readonly settings: ProxySettings) {
    this.direct = new HostPatterns(settings.nonProxyHosts.split('|').filter((pattern) => pattern !== ''));
    this.excluded = settings.noProxy.toLowerCase().split(/[\s,]+/);
    for (const network of this.excluded.flatMap((entry) => networkOf(entry) ?? [])) {
      this.excludedNetworks.addSubnet(network.address, network.bits, network.family);
    }
  }

  /** The proxy of a call; undefined for a call that goes to its target directly. */
  of(url: URL): ForwardProxy | undefined {
    const proxy = url.protocol === 'https:' ? this.settings.https : this.settings.http;
    if (!proxy || this.direct.match(url.hostname) || this.isExcluded(url)) return undefined;
    return proxy;
  }

  private isExcluded({ hostname, port, protocol }: URL): boolean {
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const ownPort = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
    const version = isIP(host);
    if (version !== 0 && this.excludedNetworks.check(host, version === 4 ? 'ipv4' : 'ipv6')) return true;
    return this.excluded.some((entry) => {
      if (entry === '*') return true;
      const [, name = entry, entryPort = ownPort] = /^\[?([^:]*|.*\])?:(\d+)$/.exec(entry) ?? [];
      const excluded = name.replace(/^\*?\./, '').replace(/^\[?(.*?)\]?$/, '$1');
      return excluded !== '' && entryPort === ownPort && (host === excluded || host.endsWith(`.${excluded}`));
    });
  }
}

/** Reads `http://user:password@proxy:3128`, also without the scheme; undefined if it is not such a URL. */
export function parseProxy(text: string): ForwardProxy | undefined {
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (url?.protocol !== 'http:' || url.hostname === '' || url.pathname !== '/') return undefined;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const proxy = { host, port: url.port === '' ? 80 : Number(url.port) };
  if (url.username === '') return proxy;
  try {
    const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    return { ...proxy, authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
  } catch {
    return undefined;
  }
}
