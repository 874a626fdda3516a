import { Rule } from '../../config/check/rule.js';
import { clientBundleProblems } from '../tls/client-bundle.rule.js';
import { KVSTORE_BUNDLE, KvstoreProperties } from './kvstore.properties.js';

/** The certificate bundle of the key-value store can be read and used. */
export const kvstoreBundleUsable = new Rule('key-value store', (facts) =>
  clientBundleProblems(facts, KVSTORE_BUNDLE, facts.get(KvstoreProperties).sslBundle),
);

/** Sentinels need the name of the primary, and the other way round. */
export const sentinelKeysComplete = new Rule('key-value store', (facts) => {
  const { sentinelMaster, sentinelNodes } = facts.get(KvstoreProperties);
  if ((sentinelMaster === undefined) === (sentinelNodes.length === 0)) return [];
  const [set, missing] = sentinelMaster === undefined ? ['nodes', 'master'] : ['master', 'nodes'];
  const key = (name: string): string => `app.data.kvstore.sentinel.${name}`;
  const what = `The sentinels of the key-value store are incomplete: ${set} without ${missing}`;
  const action = `Set ${key(missing)}, or remove ${key(set)}.`;
  return [facts.about(key(set), { severity: 'error', what, action })];
});
