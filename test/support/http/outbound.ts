import { ForwardProxies, type ProxySettings } from '../../../src/platform/outbound/forward-proxy.js';
import type { Lookup } from '../../../src/platform/outbound/connector.js';
import { Meters } from '../../../src/observability/metrics/meters.js';
import { HttpClientProperties } from '../../../src/platform/outbound/outbound.properties.js';
import { OutboundHttp } from '../../../src/platform/outbound/outbound-http.service.js';

interface Settings extends Partial<ProxySettings> {
  readonly client?: Partial<HttpClientProperties>;
  readonly lookup?: Lookup;
  readonly meters?: Meters;
}

/** Calls to other services that may reach the servers of a test, unless the test sets the allowed addresses. */
export function outboundHttp({ client, lookup, meters = new Meters(), ...proxies }: Settings = {}): OutboundHttp {
  const properties = Object.assign(new HttpClientProperties(), { allowedAddresses: ['127.0.0.0/8'] }, client);
  const forward = new ForwardProxies({ nonProxyHosts: '', noProxy: '', ...proxies });
  return new OutboundHttp(properties, forward, meters, lookup);
}
