import { isIP } from 'node:net';
import { type RuleProblem, Rule, type RuleFacts } from '../../config/check/rule.js';
import { clientBundleProblems } from '../tls/client-bundle.rule.js';
import { AddressGuard } from './address-guard.js';
import { HTTP_CLIENT_BUNDLE, HttpClientProperties } from './outbound.properties.js';

const ALLOWED = 'app.http.client.allowed-addresses';

/** The certificate bundle of outgoing HTTP calls can be read and used. */
export const httpClientBundleUsable = new Rule('tls', (facts) =>
  clientBundleProblems(facts, HTTP_CLIENT_BUNDLE, facts.get(HttpClientProperties).sslBundle),
);

/**
 * Warns if the URL of a key contains an internal address that the guard of outgoing calls rejects. Names are not
 * resolved; the failure of a call reports the address.
 */
export function reachableAddress(facts: RuleFacts, key: string, url: string): readonly RuleProblem[] {
  if (!URL.canParse(url)) return [];
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
  // RFC 6761 section 6.3: the name means this machine, whatever resolves it.
  const address = /^(?:.*\.)?localhost$/.test(host) ? '127.0.0.1' : host;
  const guard = new AddressGuard(facts.get(HttpClientProperties).allowedAddresses);
  if (isIP(address) === 0 || guard.allowsHost(host) || guard.allowsAddress(address)) return [];
  const what = `The URL has the internal address ${host}, which outgoing calls do not reach: ${ALLOWED} has no entry for it`;
  const action = `Add ${host} or its network to ${ALLOWED}, unless the URL is wrong.`;
  return [facts.about(key, { severity: 'warning', what, action })];
}
