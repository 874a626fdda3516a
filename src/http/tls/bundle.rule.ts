import { SystemClock } from '../../clock/clock.js';
import { faultsOf, Rule } from '../../config/check/rule.js';
import { SslProperties } from '../server.properties.js';

/** The certificate that the main listener shows can be read and used. */
export const bundleUsable = new Rule('tls', async (facts) => {
  const { bundle: name } = facts.get(SslProperties);
  if (name === undefined) return [];
  // A start without TLS loads nothing of it.
  const { SslBundles } = await import('../../tls/ssl-bundles.service.js');
  const bundles = new SslBundles(facts.configuration, new SystemClock());
  return faultsOf(() => bundles.named({ key: 'server.ssl.bundle', name }).serverIdentity());
});
