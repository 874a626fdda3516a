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
  /** Separated by `|`, with `*` for any start or end. */
  readonly nonProxyHosts: string;
  /** Separated by commas: names with their subdomains, `host:port`, or `*` for all. */
  readonly noProxy: string;
}

/** Chooses the forward proxy of a call. */
export class ForwardProxies {
  private readonly direct: HostPatterns;

  constructor(private readonly settings: ProxySettings) {
    this.direct = new HostPatterns(settings.nonProxyHosts.split('|').filter((pattern) => pattern !== ''));
  }

  /** Undefined for a call that goes to its target directly. */
  of(url: URL): ForwardProxy | undefined {
    const proxy = url.protocol === 'https:' ? this.settings.https : this.settings.http;
    if (!proxy || this.direct.match(url.hostname) || this.isExcluded(url)) return undefined;
    return proxy;
  }

  private isExcluded({ hostname, port, protocol }: URL): boolean {
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const ownPort = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
    return this.settings.noProxy
      .toLowerCase()
      .split(/[\s,]+/)
      .some((entry) => {
        if (entry === '*') return true;
        const [, name = entry, entryPort = ownPort] = /^\[?(.*?)\]?:(\d+)$/.exec(entry) ?? [];
        // An IPv6 address has more than one colon; its last part is not a port.
        const isBareV6 = entry.split(':').length > 2 && !entry.startsWith('[');
        const excluded = (isBareV6 ? entry : name).replace(/^\*?\./, '').replace(/^\[(.*)\]$/, '$1');
        if (excluded === '' || (!isBareV6 && entryPort !== ownPort)) return false;
        return host === excluded || host.endsWith(`.${excluded}`);
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
