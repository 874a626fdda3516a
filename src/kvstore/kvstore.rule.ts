import { SystemClock } from '../clock/clock.js';
import { faultsOf, Rule } from '../config/check/rule.js';
import { KvstoreProperties } from './kvstore.properties.js';

/** The certificate bundle of the key-value store can be read and used. */
export const kvstoreBundleUsable = new Rule('key-value store', async (facts) => {
  const { sslBundle: name } = facts.get(KvstoreProperties);
  if (name === undefined) return [];
  // Startup without TLS does not load the TLS code.
  const { SslBundles } = await import('../tls/ssl-bundles.service.js');
  const bundles = new SslBundles(facts.configuration, new SystemClock());
  return faultsOf(() => bundles.named({ key: 'app.data.kvstore.ssl.bundle', name }).clientContext());
});

/** Sentinels need the name of the primary, and the other way round. */
export const sentinelKeysComplete = new Rule('key-value store', (facts) => {
  const { sentinelMaster, sentinelNodes } = facts.get(KvstoreProperties);
  if ((sentinelMaster === undefined) === (sentinelNodes.length === 0)) return [];
  const [set, missing] = sentinelMaster === undefined ? ['nodes', 'master'] : ['master', 'nodes'];
  const key = (name: string): string => `app.data.kvstore.sentinel.${name}`;
  const what = `The sentinels of the key-value store are incomplete: ${set} without ${missing}`;
  const action = `Set ${key(missing)}, or remove ${key(set)}.`;
  return [facts.about(key(set), { severity: 'fault', what, action })];
});
